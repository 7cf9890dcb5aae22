// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// An ERC-1155 collection of prints: each id is an edition whose metadata is a data: URI.
contract Editions is ERC1155, Ownable {
    using Strings for uint256;

    string public constant name = "Mason Prints";
    string public constant symbol = "MASON";
    string[4] private motifs = ["Bridge", "Harbor", "Lighthouse", "Mill"];
    string[3] private inks = ["Black", "Blue", "Red"];

    constructor() ERC1155("") Ownable(msg.sender) {}

    function mint(address to, uint256 id, uint256 amount) external onlyOwner {
        _mint(to, id, amount, "");
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external onlyOwner {
        _mintBatch(to, ids, amounts, "");
    }

    function burn(uint256 id, uint256 amount) external {
        _burn(msg.sender, id, amount);
    }

    function uri(uint256 id) public view override returns (string memory) {
        string memory json = string.concat(
            '{"name":"Mason Print ', id.toString(),
            '","description":"A print in a numbered edition.","image":"data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E',
            '","attributes":[{"trait_type":"Motif","value":"', motifs[id % 4],
            '"},{"trait_type":"Ink","value":"', inks[id % 3], '"}]}'
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }
}
