// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// An ERC-721 collection with hostile metadata: tokenURI returns the URI that the token was minted with, or fails.
contract HostileCollection is ERC721, Ownable {
    enum Response { Uri, Long, Revert, Endless, NoText }

    struct Token {
        Response response;
        uint256 length;
        string uri;
    }

    mapping(uint256 => Token) private tokens;
    uint256 public minted;

    constructor() ERC721("Wolves and Sheep", "WOLF") Ownable(msg.sender) {}

    function mint(address to, Response response, string calldata uri, uint256 length) external onlyOwner {
        uint256 id = ++minted;
        tokens[id] = Token(response, length, uri);
        _mint(to, id);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        Token storage token = tokens[id];
        if (token.response == Response.Revert) revert("No metadata");
        if (token.response == Response.Endless) while (true) {}
        if (token.response == Response.NoText) {
            // An offset beyond the end of the data.
            assembly {
                mstore(0, not(0))
                return(0, 32)
            }
        }
        return token.response == Response.Long ? string.concat(token.uri, filling(token.length)) : token.uri;
    }

    function filling(uint256 length) private pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 index = 0; index < length; index++) {
            text[index] = "a";
        }
        return string(text);
    }
}
