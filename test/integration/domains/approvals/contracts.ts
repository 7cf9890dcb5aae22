import { compileWithPackages } from "../../../support/solidity.ts";

const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/** OpenZeppelin 5: no Approval when an allowance is used; EIP-2612. */
contract Coin is ERC20Permit {
  constructor(string memory symbol) ERC20("Coin", symbol) ERC20Permit("Coin") {}
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}

/** Burns a tenth of each transfer. */
contract FeeCoin is Coin {
  constructor() Coin("FEE") {}
  function _update(address from, address to, uint256 amount) internal override {
    if (from == address(0) || to == address(0)) return super._update(from, to, amount);
    super._update(from, to, amount - amount / 10);
    super._update(from, address(0), amount / 10);
  }
}

/** Transfers tokens of any owner for any caller. */
contract Router {
  function pull(ERC20 token, address from, address to, uint256 amount) external { token.transferFrom(from, to, amount); }
  function pullToken(ERC20 token, address from, address to, uint256 id) external { token.transferFrom(from, to, id); }
}

/** Sets an allowance that is used in the same call, as tokens with approveAndCall do. */
contract CallingCoin is Coin {
  constructor() Coin("CALL") {}
  function approveAndCall(Router spender, uint256 amount, address to, uint256 used) external {
    _approve(msg.sender, address(spender), amount);
    spender.pull(this, msg.sender, to, used);
  }
}

/** Like Dai, its permit allows all or nothing; unlike Dai's, it emits no Approval. */
contract SilentPermit is Coin {
  mapping(address => mapping(address => bool)) internal isAllowed;
  mapping(address => uint256) public permits;
  bytes32 internal constant typeHash =
    keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
  constructor() Coin("DAI") {}

  function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s) external {
    bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(typeHash, holder, spender, nonce, expiry, allowed)));
    require(holder != address(0) && holder == ecrecover(digest, v, r, s) && nonce == permits[holder]++);
    require(expiry == 0 || block.timestamp <= expiry);
    isAllowed[holder][spender] = allowed;
  }
  function allowance(address owner, address spender) public view override returns (uint256) {
    return isAllowed[owner][spender] ? type(uint256).max : super.allowance(owner, spender);
  }
}

/** Pays out its tokens to any caller, as pools do. */
contract Till {
  function pay(ERC20 token, address to, uint256 amount) external { token.transfer(to, amount); }
}
/** Requests payments from a till. */
contract Desk {
  function requestPayment(Till till, ERC20 token, address to, uint256 amount) external { till.pay(token, to, amount); }
}

/** Emits transfers from many owners in one transaction, and returns an allowance for any pair. */
contract Crowd {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function allowance(address, address) external pure returns (uint256) { return 7; }
  function emitTransfers(address[] calldata owners) external {
    for (uint256 n = 0; n < owners.length; n += 1) emit Transfer(owners[n], address(this), 1);
  }
}
contract CrowdCaller {
  function callCrowd(Crowd crowd, address[] calldata owners) external { crowd.emitTransfers(owners); }
}

/** Emits events on request and is not a token. */
contract Emitter {
  event Approval(address indexed owner, address indexed spender, uint256 amount);
  event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
  event Transfer(address indexed from, address indexed to, uint256 amount);
  string public symbol;
  constructor(string memory symbol_) { symbol = symbol_; }
  function name() external view returns (string memory) { return symbol; }
  function approval(address owner, address spender, uint256 amount) external { emit Approval(owner, spender, amount); }
  function forAll(address owner, address operator) external { emit ApprovalForAll(owner, operator, true); }
  function moved(address from, address to, uint256 amount) external { emit Transfer(from, to, amount); }
}

/** Its allowances are set independently of its events; allowance() can be made to revert or to return too few bytes. */
contract Inconsistent {
  event Approval(address indexed owner, address indexed spender, uint256 amount);
  event Transfer(address indexed from, address indexed to, uint256 amount);
  mapping(address => mapping(address => uint256)) internal allowed;
  uint256 public mode;
  function setMode(uint256 to) external { mode = to; }
  function balanceOf(address) external pure returns (uint256) { return 1000; }
  function allowance(address owner, address spender) external view returns (uint256) {
    if (mode == 1) revert("not available");
    if (mode == 2) assembly { mstore(0, not(0)) return(0, 31) }
    return allowed[owner][spender];
  }
  function emitApproval(address spender, uint256 amount) external { emit Approval(msg.sender, spender, amount); }
  function setAllowance(address owner, address spender, uint256 amount) external { allowed[owner][spender] = amount; }
  function emitTransfer(address from, address to, uint256 amount) external { emit Transfer(from, to, amount); }
}
`;

/** Different kinds of tokens, contracts that spend allowances, and contracts with incorrect events. */
export const contracts = compileWithPackages(source);
