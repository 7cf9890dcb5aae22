// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// An ERC-721 collection whose token URIs consist of a base URI and the token id.
contract BasedCollection is ERC721, Ownable {
    string private base;
    uint256 public minted;

    constructor(string memory name_, string memory symbol_, string memory base_) ERC721(name_, symbol_) Ownable(msg.sender) {
        base = base_;
    }

    function mint(address[] calldata owners) external onlyOwner {
        uint256 id = minted;
        for (uint256 index = 0; index < owners.length; index++) {
            _mint(owners[index], ++id);
        }
        minted = id;
    }

    function _baseURI() internal view override returns (string memory) {
        return base;
    }
}
