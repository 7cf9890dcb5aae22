import type { Artifact } from "../../../../support/chain.ts";
import { compileInput, contractNamed, solidityInput } from "../../../../support/solidity.ts";

/** An ERC-721 collection whose metadata may change; it announces changes as EIP-4906 specifies. */
const source = `
pragma solidity ^0.8.20;
contract Paintings {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  event Approval(address indexed owner, address indexed spender, uint256 indexed id);
  event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
  event MetadataUpdate(uint256 id);
  string public constant name = "Paintings";
  string public constant symbol = "PAINT";
  mapping(uint256 => address) public ownerOf;
  mapping(uint256 => address) public getApproved;
  mapping(address => mapping(address => bool)) public isApprovedForAll;
  mapping(uint256 => string) private colours;
  function mint(address to, uint256 id, string calldata colour) external { ownerOf[id] = to; colours[id] = colour; emit Transfer(address(0), to, id); }
  function transferFrom(address from, address to, uint256 id) external {
    require(ownerOf[id] == from && (msg.sender == from || getApproved[id] == msg.sender || isApprovedForAll[from][msg.sender]));
    ownerOf[id] = to;
    delete getApproved[id];
    emit Transfer(from, to, id);
  }
  function approve(address spender, uint256 id) external { getApproved[id] = spender; emit Approval(msg.sender, spender, id); }
  function setApprovalForAll(address operator, bool approved) external { isApprovedForAll[msg.sender][operator] = approved; emit ApprovalForAll(msg.sender, operator, approved); }
  function paint(uint256 id, string calldata colour) external { colours[id] = colour; emit MetadataUpdate(id); }
  function tokenURI(uint256 id) external view returns (string memory) {
    return string.concat('data:application/json,{"name":"', colours[id], '","attributes":[{"trait_type":"Colour","value":"', colours[id], '"}]}');
  }
}`;

/** Compiles the collection. */
export const compilePaintings = (): Artifact => contractNamed(compileInput(solidityInput({ "test.sol": source }, "cancun")))("Paintings");
