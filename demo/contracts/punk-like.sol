// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A collection that predates ERC-721, with the events and quirks of the CryptoPunks market: ownership changes emit PunkTransfer, PunkBought and Assign in
/// addition to ERC-20-like Transfers, and accepting a bid emits PunkBought without price and buyer, because the bid is deleted first.
contract PunkLike {
    struct Offer { bool open; address seller; uint256 minimum; address onlyTo; }
    struct Bid { address bidder; uint256 value; }

    string public constant name = "Harbor Faces";
    string public constant symbol = "FACE";
    uint8 public constant decimals = 0;
    uint256 public immutable totalSupply;
    address private immutable deployer;
    bool private opened;

    mapping(uint256 => address) public punkIndexToAddress;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public pendingWithdrawals;
    mapping(uint256 => Offer) public offers;
    mapping(uint256 => Bid) public bids;

    event Assign(address indexed to, uint256 punkIndex);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event PunkTransfer(address indexed from, address indexed to, uint256 punkIndex);
    event PunkOffered(uint256 indexed punkIndex, uint256 minValue, address indexed toAddress);
    event PunkBidEntered(uint256 indexed punkIndex, uint256 value, address indexed fromAddress);
    event PunkBidWithdrawn(uint256 indexed punkIndex, uint256 value, address indexed fromAddress);
    event PunkBought(uint256 indexed punkIndex, uint256 value, address indexed fromAddress, address indexed toAddress);
    event PunkNoLongerForSale(uint256 indexed punkIndex);

    constructor(uint256 supply) {
        totalSupply = supply;
        deployer = msg.sender;
    }

    modifier owned(uint256 punkIndex) {
        require(opened && punkIndexToAddress[punkIndex] == msg.sender, "not yours");
        _;
    }

    function setInitialOwners(address[] calldata owners, uint256[] calldata punks) external {
        require(msg.sender == deployer && !opened, "too late");
        for (uint256 i = 0; i < punks.length; i++) assignTo(owners[i], punks[i]);
    }

    function allInitialOwnersAssigned() external {
        require(msg.sender == deployer, "keeper only");
        opened = true;
    }

    function getPunk(uint256 punkIndex) external {
        require(opened, "too early");
        assignTo(msg.sender, punkIndex);
    }

    function assignTo(address to, uint256 punkIndex) private {
        require(punkIndex < totalSupply && punkIndexToAddress[punkIndex] == address(0), "taken");
        punkIndexToAddress[punkIndex] = to;
        balanceOf[to]++;
        emit Assign(to, punkIndex);
    }

    function transferPunk(address to, uint256 punkIndex) external owned(punkIndex) {
        if (offers[punkIndex].open) closeOffer(punkIndex);
        move(punkIndex, msg.sender, to);
        emit PunkTransfer(msg.sender, to, punkIndex);
        refundBidOf(to, punkIndex);
    }

    function offerPunkForSale(uint256 punkIndex, uint256 minSalePriceInWei) external {
        offerPunkForSaleToAddress(punkIndex, minSalePriceInWei, address(0));
    }

    function offerPunkForSaleToAddress(uint256 punkIndex, uint256 minSalePriceInWei, address toAddress) public owned(punkIndex) {
        offers[punkIndex] = Offer(true, msg.sender, minSalePriceInWei, toAddress);
        emit PunkOffered(punkIndex, minSalePriceInWei, toAddress);
    }

    function punkNoLongerForSale(uint256 punkIndex) external owned(punkIndex) {
        closeOffer(punkIndex);
    }

    function buyPunk(uint256 punkIndex) external payable {
        Offer memory offer = offers[punkIndex];
        require(offer.open && (offer.onlyTo == address(0) || offer.onlyTo == msg.sender), "not for sale");
        require(msg.value >= offer.minimum && offer.seller == punkIndexToAddress[punkIndex], "not enough");
        move(punkIndex, offer.seller, msg.sender);
        closeOffer(punkIndex);
        pendingWithdrawals[offer.seller] += msg.value;
        emit PunkBought(punkIndex, msg.value, offer.seller, msg.sender);
        refundBidOf(msg.sender, punkIndex);
    }

    function enterBidForPunk(uint256 punkIndex) external payable {
        address owner = punkIndexToAddress[punkIndex];
        require(owner != address(0) && owner != msg.sender, "whose");
        Bid memory currentBid = bids[punkIndex];
        require(msg.value > currentBid.value, "too low");
        pendingWithdrawals[currentBid.bidder] += currentBid.value;
        bids[punkIndex] = Bid(msg.sender, msg.value);
        emit PunkBidEntered(punkIndex, msg.value, msg.sender);
    }

    function acceptBidForPunk(uint256 punkIndex, uint256 minPrice) external owned(punkIndex) {
        Bid storage bid = bids[punkIndex];
        uint256 amount = bid.value;
        require(amount > 0 && amount >= minPrice, "too low");
        move(punkIndex, msg.sender, bid.bidder);
        offers[punkIndex] = Offer(false, bid.bidder, 0, address(0));
        delete bids[punkIndex];
        pendingWithdrawals[msg.sender] += amount;
        // The bid is deleted, so its value and bidder are zero.
        emit PunkBought(punkIndex, bid.value, msg.sender, bid.bidder);
    }

    function withdrawBidForPunk(uint256 punkIndex) external {
        Bid memory bid = bids[punkIndex];
        require(bid.bidder == msg.sender, "not yours");
        emit PunkBidWithdrawn(punkIndex, bid.value, msg.sender);
        delete bids[punkIndex];
        payable(msg.sender).transfer(bid.value);
    }

    function withdraw() external {
        uint256 amount = pendingWithdrawals[msg.sender];
        pendingWithdrawals[msg.sender] = 0;
        payable(msg.sender).transfer(amount);
    }

    function move(uint256 punkIndex, address from, address to) private {
        punkIndexToAddress[punkIndex] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, 1);
    }

    function closeOffer(uint256 punkIndex) private {
        offers[punkIndex] = Offer(false, msg.sender, 0, address(0));
        emit PunkNoLongerForSale(punkIndex);
    }

    /// Refunds a bid of the new owner.
    function refundBidOf(address owner, uint256 punkIndex) private {
        Bid memory bid = bids[punkIndex];
        if (bid.bidder != owner) return;
        pendingWithdrawals[owner] += bid.value;
        delete bids[punkIndex];
    }
}
