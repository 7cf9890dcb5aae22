// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// An ERC-721 collection with metadata on the chain: documents and images are data: URIs derived from the token id.
contract ArtCollection is ERC721, Ownable {
    using Strings for uint256;

    uint256 public minted;
    string[5] private palettes = ["Amber", "Basalt", "Chalk", "Moss", "Slate"];
    string[5] private colors = ["#d98e04", "#3c3c44", "#e8e4d8", "#5f7f4f", "#5c6b7a"];
    string[4] private shapes = ["Arch", "Pillar", "Ring", "Step"];

    constructor() ERC721("Quarry Art", "QART") Ownable(msg.sender) {}

    function mint(address to) external onlyOwner {
        _mint(to, ++minted);
    }

    function burn(uint256 id) external {
        _update(address(0), id, msg.sender);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        uint256 seed = uint256(keccak256(abi.encode(id)));
        string memory json = string.concat(
            '{"name":"Quarry Art #', id.toString(),
            '","description":"A stone cut by a contract.","image":"data:image/svg+xml;base64,', Base64.encode(bytes(image(seed))),
            '","attributes":', attributes(seed), "}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    function attributes(uint256 seed) private view returns (string memory) {
        return string.concat(
            '[{"trait_type":"Palette","value":"', palettes[seed % 5],
            '"},{"trait_type":"Shape","value":"', shapes[(seed >> 8) % 4],
            '"},{"trait_type":"Weight","value":', (1 + ((seed >> 16) % 100)).toString(),
            ',"display_type":"number"}', (seed >> 24) % 10 == 0 ? ',{"trait_type":"Polished","value":"Yes"}]' : "]"
        );
    }

    function image(uint256 seed) private view returns (string memory) {
        string memory size = (20 + ((seed >> 16) % 60)).toString();
        return string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#fff"/><rect x="10" y="10" width="',
            size, '" height="', size, '" fill="', colors[seed % 5], '"/></svg>'
        );
    }
}
