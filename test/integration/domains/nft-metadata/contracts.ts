import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileInput, contractNamed, solidityInput } from "../../../support/solidity.ts";

const source = `
pragma solidity ^0.8.20;
import {Base64} from "Base64.sol";

/** Returns the URL that was set for an id; tokenURI() reverts if none was set. */
contract Collection {
  mapping(uint256 => string) private uris;
  function setUri(uint256 first, uint256 last, string calldata text) external { for (uint256 id = first; id <= last; id++) uris[id] = text; }
  function tokenURI(uint256 id) public view returns (string memory) { require(bytes(uris[id]).length > 0); return uris[id]; }
  function uri(uint256 id) external view returns (string memory) { return uris[id]; }
}

/** Generates the metadata of every id: 12 traits; trait t of id i has the value i modulo (t + 2). */
contract Gallery {
  function tokenURI(uint256 id) external pure returns (string memory) {
    string memory traits = "";
    for (uint256 trait = 0; trait < 12; trait++)
      traits = string.concat(traits, trait == 0 ? "" : ",", '{"trait_type":"Trait ', digits(trait), '","value":"', digits(id % (trait + 2)), '"}');
    string memory json = string.concat('{"name":"Picture ', digits(id), '","description":"One of a gallery.","attributes":[', traits, ']}');
    return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
  }
  function digits(uint256 value) private pure returns (string memory) {
    if (value < 10) { bytes memory digit = new bytes(1); digit[0] = bytes1(uint8(48 + value)); return string(digit); }
    return string.concat(digits(value / 10), digits(value % 10));
  }
}
`;

/** Compiles the contracts whose metadata the tests read. */
export const compileCollections = () => {
  const base64 = createRequire(import.meta.url).resolve("openzeppelin-contracts-4/utils/Base64.sol");
  return contractNamed(compileInput(solidityInput({ "test.sol": source, "Base64.sol": readFileSync(base64, "utf8") }, "cancun")));
};
