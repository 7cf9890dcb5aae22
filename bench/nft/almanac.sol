// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// A collection that generates the picture and the metadata of each token on the chain, with twelve traits.
contract Almanac is ERC721 {
    using Strings for uint256;

    uint256 public printed;

    constructor() ERC721("Almanac", "ALMANAC") {}

    function print(address[] calldata owners) external {
        uint256 id = printed;
        for (uint256 index = 0; index < owners.length; index++) {
            _mint(owners[index], id++);
        }
        printed = id;
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        uint256 seed = uint256(keccak256(abi.encode("almanac", id)));
        string memory json = string.concat(
            '{"name":"Leaf ', id.toString(),
            '","description":"A leaf of an almanac, drawn by its contract.","image":"data:image/svg+xml;base64,', Base64.encode(bytes(drawing(seed))),
            '","attributes":[', kinds(seed), numbers(id, seed), "]}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    function kinds(uint256 seed) private pure returns (string memory) {
        return string.concat(
            trait("Paper", "Paper ", seed % 6), ",",
            trait("Ink", "Ink ", (seed >> 16) % 12), ",",
            trait("Season", "Season ", (seed >> 32) % 4), ",",
            trait("Weather", "Weather ", (seed >> 48) % 9), ",",
            trait("Planet", "Planet ", (seed >> 64) % 8), ",",
            trait("Border", "Border ", (seed >> 80) % 20), ","
        );
    }

    function numbers(uint256 id, uint256 seed) private pure returns (string memory) {
        return string.concat(
            trait("Beast", "Beast ", (seed >> 96) % 40), ",",
            trait("Herb", "Herb ", (seed >> 112) % 60), ",",
            trait("Serial", "No. ", id), ",",
            number("number", "Moons", (seed >> 128) % 30), ",",
            number("boost_percentage", "Luck", (seed >> 144) % 101), ",",
            number("date", "Printed", 1_700_000_000 + (id / 100) * 86_400)
        );
    }

    function trait(string memory name, string memory prefix, uint256 value) private pure returns (string memory) {
        return string.concat('{"trait_type":"', name, '","value":"', prefix, value.toString(), '"}');
    }

    function number(string memory display, string memory name, uint256 value) private pure returns (string memory) {
        return string.concat('{"display_type":"', display, '","trait_type":"', name, '","value":', value.toString(), "}");
    }

    function drawing(uint256 seed) private pure returns (string memory) {
        return string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(', (seed % 360).toString(),
            ',40%,90%)"/><circle cx="', (20 + ((seed >> 16) % 60)).toString(), '" cy="', (20 + ((seed >> 24) % 60)).toString(), '" r="',
            (5 + ((seed >> 32) % 15)).toString(), '" fill="hsl(', ((seed >> 40) % 360).toString(), ',60%,50%)"/></svg>'
        );
    }
}
