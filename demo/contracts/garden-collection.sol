// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// A large ERC-721 collection, minted in batches. The metadata is a data: URI derived from the token id, with common, rare, missing and malformed traits.
contract GardenCollection is ERC721, Ownable {
    using Strings for uint256;

    uint256 public planted;

    constructor() ERC721("Walled Garden", "GARDEN") Ownable(msg.sender) {}

    function plant(address[] calldata owners) external onlyOwner {
        uint256 id = planted;
        for (uint256 index = 0; index < owners.length; index++) {
            _mint(owners[index], ++id);
        }
        planted = id;
    }

    function uproot(uint256 id) external {
        _update(address(0), id, msg.sender);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        uint256 seed = uint256(keccak256(abi.encode("garden", id)));
        string memory json = string.concat(
            '{"name":"Plant #', id.toString(),
            '","description":"A plant in a walled garden.","external_url":"https://garden.example/plants/', id.toString(),
            '","image":"data:image/svg+xml;base64,', Base64.encode(bytes(image(seed))),
            '"', attributes(id, seed), "}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    /// Four in a hundred tokens have no array of traits: the member is missing, null, an object, or a string.
    function attributes(uint256 id, uint256 seed) private pure returns (string memory) {
        uint256 kind = id % 100;
        if (kind == 23) return "";
        if (kind == 43) return ',"attributes":null';
        if (kind == 63) return string.concat(',"attributes":{"Species":"', species(seed), '"}');
        if (kind == 83) return ',"attributes":"none"';
        return string.concat(',"attributes":[', common(id, seed), rare(seed), odd(kind), "]");
    }

    function common(uint256 id, uint256 seed) private pure returns (string memory) {
        uint256 height = 20 + ((seed >> 16) % 900);
        return string.concat(
            '{"trait_type":"Species","value":"', species(seed),
            '"},{"trait_type":"Bloom","value":"', bloom(seed >> 8),
            '"},{"display_type":"number","trait_type":"Height","value":', (height / 10).toString(), ".", (height % 10).toString(),
            '},{"trait_type":"Petals","value":', (3 + ((seed >> 32) % 10)).toString(),
            '},{"display_type":"date","trait_type":"Planted","value":', (1_756_684_800 + (id / 50) * 86_400).toString(), "}"
        );
    }

    function rare(uint256 seed) private pure returns (string memory) {
        return string.concat(
            (seed >> 40) % 4 == 0 ? "" : string.concat(',{"trait_type":"Soil","value":"', soil(seed >> 48), '"}'),
            (seed >> 56) % 3 == 0
                ? string.concat(',{"display_type":"boost_percentage","trait_type":"Growth","value":', (5 * (1 + (seed >> 64) % 8)).toString(), "}")
                : "",
            (seed >> 72) % 5 == 0
                ? string.concat(',{"display_type":"boost_number","trait_type":"Vigour","value":', (1 + (seed >> 80) % 3).toString(), ',"max_value":3}')
                : ""
        );
    }

    /// Shapes seen in practice: no trait_type, values other than strings and numbers, numbers as strings, a repeated trait.
    function odd(uint256 kind) private pure returns (string memory) {
        if (kind == 3) return ',{"value":"Heirloom"}';
        if (kind == 13) return ',{"trait_type":"Evergreen","value":true}';
        if (kind == 33) return ',{"trait_type":"Companions","value":["Bee","Wren"]}';
        if (kind == 53) return ',{"trait_type":"Origin","value":{"country":"Nowhere"}},{"trait_type":"Keeper","value":null}';
        if (kind == 73) return ',{"trait_type":"Grafts","value":"12"},{"trait_type":"Grafts","value":12}';
        if (kind == 93) return ',"Loose",7,{"trait_type":"Rows"}';
        return "";
    }

    function species(uint256 seed) private pure returns (string memory) {
        uint256 luck = seed % 100;
        if (luck < 2) return "Ghost Orchid";
        if (luck < 10) return "Medlar";
        if (luck < 25) return "Foxglove";
        if (luck < 45) return "Iris";
        if (luck < 70) return "Fern";
        return "Rose";
    }

    function bloom(uint256 seed) private pure returns (string memory) {
        string[6] memory colors = ["White", "Yellow", "Red", "Violet", "Blue", "Green"];
        return colors[seed % 6];
    }

    function soil(uint256 seed) private pure returns (string memory) {
        string[4] memory soils = ["Clay", "Loam", "Peat", "Sand"];
        return soils[seed % 4];
    }

    function image(uint256 seed) private pure returns (string memory) {
        return string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><circle cx="50" cy="50" r="', (10 + ((seed >> 16) % 35)).toString(),
            '" fill="', bloom(seed >> 8), '"/></svg>'
        );
    }
}
