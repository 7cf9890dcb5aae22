// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// The token descriptor of Uniswap V3's position manager; much shorter than Uniswap's own.
contract PositionDescriptor {
    using Strings for uint256;

    function tokenURI(address, uint256 id) external pure returns (string memory) {
        string memory json = string.concat(
            '{"name":"Position #', id.toString(),
            '","description":"Liquidity for a range of prices.","image":"data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E"}'
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }
}
