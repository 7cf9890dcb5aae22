// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MarketRegistry} from "./market-registry.sol";

/// A market of interest-bearing tokens: interest accrues per block, and a debt grows with the borrow index.
abstract contract MoneyMarket {
    event AccrueInterest(uint256 interestAccumulated, uint256 borrowIndex, uint256 totalBorrows);
    event AccrueInterest(uint256 cashPrior, uint256 interestAccumulated, uint256 borrowIndex, uint256 totalBorrows);
    event Mint(address minter, uint256 mintAmount, uint256 mintTokens);
    event Mint(address minter, uint256 mintAmount, uint256 mintTokens, uint256 accountBalance);
    event MintBehalf(address payer, address receiver, uint256 mintAmount, uint256 mintTokens, uint256 accountBalance);
    event Redeem(address redeemer, uint256 redeemAmount, uint256 redeemTokens);
    event Redeem(address redeemer, uint256 redeemAmount, uint256 redeemTokens, uint256 accountBalance);
    event Borrow(address borrower, uint256 borrowAmount, uint256 accountBorrows, uint256 totalBorrows);
    event RepayBorrow(address payer, address borrower, uint256 repayAmount, uint256 accountBorrows, uint256 totalBorrows);
    event LiquidateBorrow(address liquidator, address borrower, uint256 repayAmount, address cTokenCollateral, uint256 seizeTokens);
    event ReservesAdded(address benefactor, uint256 addAmount, uint256 newTotalReserves);
    event ReservesReduced(address admin, uint256 reduceAmount, uint256 newTotalReserves);
    event Transfer(address indexed from, address indexed to, uint256 amount);

    /// The variant of the events: as in the oldest deployments, with the cash before accrual, or with the balance of the account.
    enum Variant {
        Oldest,
        Cash,
        Balance
    }

    struct Terms {
        string name;
        string symbol;
        uint256 initialExchangeRate;
        /// Per year, times 1e18: the rate without borrowers, and what full utilization adds to it.
        uint256 baseRate;
        uint256 multiplier;
        uint256 blocksPerYear;
        uint256 reserveFactor;
        /// The blocks after which reserves are paid out; never if 0.
        uint256 payoutBlocks;
    }

    struct Debt {
        uint256 principal;
        uint256 index;
    }

    uint256 constant protocolSeizeShare = 0.028e18;
    uint8 public constant decimals = 8;
    MarketRegistry public immutable registry;
    Variant public immutable variant;
    Terms public terms;
    uint256 public accrualBlockNumber = block.number;
    uint256 public payoutBlockNumber = block.number;
    uint256 public borrowIndex = 1e18;
    uint256 public totalBorrows;
    uint256 public totalReserves;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => Debt) debts;

    constructor(MarketRegistry registry_, Variant variant_, Terms memory terms_) {
        (registry, variant, terms) = (registry_, variant_, terms_);
    }

    function name() external view returns (string memory) {
        return terms.name;
    }

    function symbol() external view returns (string memory) {
        return terms.symbol;
    }

    function getCash() public view virtual returns (uint256);
    function receiveAsset(address from, uint256 amount) internal virtual returns (uint256);
    function sendAsset(address to, uint256 amount) internal virtual;

    /// The cash before the value sent with the current call.
    function cashPrior() internal view virtual returns (uint256) {
        return getCash();
    }

    function utilization() internal view returns (uint256) {
        return totalBorrows == 0 ? 0 : (totalBorrows * 1e18) / (cashPrior() + totalBorrows - totalReserves);
    }

    function borrowRatePerBlock() public view returns (uint256) {
        return terms.baseRate / terms.blocksPerYear + (utilization() * (terms.multiplier / terms.blocksPerYear)) / 1e18;
    }

    function supplyRatePerBlock() external view returns (uint256) {
        return (utilization() * ((borrowRatePerBlock() * (1e18 - terms.reserveFactor)) / 1e18)) / 1e18;
    }

    function exchangeRateStored() public view returns (uint256) {
        return totalSupply == 0 ? terms.initialExchangeRate : ((cashPrior() + totalBorrows - totalReserves) * 1e18) / totalSupply;
    }

    function borrowBalanceStored(address account) public view returns (uint256) {
        Debt memory debt = debts[account];
        return debt.principal == 0 ? 0 : (debt.principal * borrowIndex) / debt.index;
    }

    function accrueInterest() public {
        uint256 blocks = block.number - accrualBlockNumber;
        if (blocks == 0) return;
        uint256 cash = cashPrior();
        uint256 factor = borrowRatePerBlock() * blocks;
        uint256 interest = (factor * totalBorrows) / 1e18;
        accrualBlockNumber = block.number;
        totalBorrows += interest;
        totalReserves += (interest * terms.reserveFactor) / 1e18;
        borrowIndex += (factor * borrowIndex) / 1e18;
        // The payout is logged before the interest that causes it.
        if (terms.payoutBlocks > 0 && block.number - payoutBlockNumber >= terms.payoutBlocks) {
            payoutBlockNumber = block.number;
            payOut(cash < totalReserves ? cash : totalReserves);
        }
        if (variant == Variant.Oldest) emit AccrueInterest(interest, borrowIndex, totalBorrows);
        else emit AccrueInterest(cash, interest, borrowIndex, totalBorrows);
    }

    function reduceReserves(uint256 amount) external {
        require(msg.sender == registry.admin());
        accrueInterest();
        payOut(amount);
    }

    function redeem(uint256 tokens) external {
        accrueInterest();
        redeemFresh(tokens, (tokens * exchangeRateStored()) / 1e18);
    }

    function redeemUnderlying(uint256 amount) external {
        accrueInterest();
        redeemFresh((amount * 1e18) / exchangeRateStored(), amount);
    }

    function borrow(uint256 amount) external {
        accrueInterest();
        require(registry.isListed(this) && registry.isCovered(msg.sender, this, 0, amount), "Insufficient collateral");
        debts[msg.sender] = Debt(borrowBalanceStored(msg.sender) + amount, borrowIndex);
        totalBorrows += amount;
        sendAsset(msg.sender, amount);
        emit Borrow(msg.sender, amount, debts[msg.sender].principal, totalBorrows);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return transferFrom(msg.sender, to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) public returns (bool) {
        if (msg.sender != from) allowance[from][msg.sender] -= amount;
        require(from != to && registry.isCovered(from, this, amount, 0), "Insufficient collateral");
        move(from, to, amount);
        return true;
    }

    /// Called by the market of the debt; a part of the tokens goes to the reserves of this market.
    function seize(address liquidator, address borrower, uint256 tokens) public {
        require(registry.isListed(MoneyMarket(msg.sender)) && liquidator != borrower);
        uint256 kept = (tokens * protocolSeizeShare) / 1e18;
        uint256 amount = (kept * exchangeRateStored()) / 1e18;
        totalReserves += amount;
        totalSupply -= kept;
        balanceOf[borrower] -= kept;
        move(borrower, liquidator, tokens - kept);
        emit Transfer(borrower, address(this), kept);
        emit ReservesAdded(address(this), amount, totalReserves);
    }

    function mintFresh(address payer, address minter, uint256 sent) internal {
        require(registry.isListed(this));
        uint256 rate = exchangeRateStored();
        uint256 amount = receiveAsset(payer, sent);
        uint256 tokens = (amount * 1e18) / rate;
        totalSupply += tokens;
        balanceOf[minter] += tokens;
        if (variant != Variant.Balance) emit Mint(minter, amount, tokens);
        else if (payer == minter) emit Mint(minter, amount, tokens, balanceOf[minter]);
        else emit MintBehalf(payer, minter, amount, tokens, balanceOf[minter]);
        emit Transfer(address(this), minter, tokens);
    }

    function redeemFresh(uint256 tokens, uint256 amount) internal {
        require(registry.isCovered(msg.sender, this, tokens, 0), "Insufficient collateral");
        totalSupply -= tokens;
        balanceOf[msg.sender] -= tokens;
        sendAsset(msg.sender, amount);
        emit Transfer(msg.sender, address(this), tokens);
        if (variant == Variant.Balance) emit Redeem(msg.sender, amount, tokens, balanceOf[msg.sender]);
        else emit Redeem(msg.sender, amount, tokens);
    }

    function repayFresh(address payer, address borrower, uint256 sent) internal returns (uint256 amount) {
        uint256 owed = borrowBalanceStored(borrower);
        amount = receiveAsset(payer, sent == type(uint256).max ? owed : sent);
        debts[borrower] = Debt(owed - amount, borrowIndex);
        totalBorrows -= amount;
        emit RepayBorrow(payer, borrower, amount, owed - amount, totalBorrows);
    }

    function liquidateFresh(address liquidator, address borrower, uint256 sent, MoneyMarket collateral) internal {
        collateral.accrueInterest();
        require(!registry.isCovered(borrower, this, 0, 0), "Sufficient collateral");
        uint256 amount = repayFresh(liquidator, borrower, sent);
        uint256 tokens = registry.seizedTokens(this, collateral, amount);
        collateral.seize(liquidator, borrower, tokens);
        emit LiquidateBorrow(liquidator, borrower, amount, address(collateral), tokens);
    }

    function payOut(uint256 amount) internal {
        totalReserves -= amount;
        sendAsset(registry.admin(), amount);
        emit ReservesReduced(registry.admin(), amount, totalReserves);
    }

    function move(address from, address to, uint256 amount) internal {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
