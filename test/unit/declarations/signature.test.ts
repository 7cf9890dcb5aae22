import { describe, expect, it } from "vitest";
import { columnTypeOf, columnTypeOfParameter } from "../../../runtime/declarations/abi/column-type.ts";
import { parseEvent, parseFunction } from "../../../runtime/declarations/abi/signature.ts";
import { snakeCase } from "../../../runtime/declarations/names.ts";

describe("a signature", () => {
  it.each([
    [
      "Transfer(address indexed from, address indexed to, uint256 value)",
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    ],
    ["Transfer(address from, address to, uint value)", "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"],
    // The topic of logs from the factory 0xa9c3…1101 on Ethereum.
    [
      "CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
      "0xed8c95d05909b0f217f3e68171ef917df4b278d5addfe4dda888e90279be7d1d",
    ],
  ])("of the event %s has its topic", (text, topic0) => {
    expect(parseEvent(text)).toMatchObject({ ok: true, value: { topic0 } });
  });

  it("of a function has its selector", () => {
    // ERC-20 and ERC-4626.
    expect(parseFunction("totalSupply() view returns (uint256)")).toMatchObject({ ok: true, value: { selector: "0x18160ddd" } });
    expect(parseFunction("convertToAssets(uint256 shares) view returns (uint256 assets)")).toMatchObject({
      value: { selector: "0x07a2d13a" },
    });
  });

  it("is refused with the reason", () => {
    expect(parseEvent("Moved(address user, bool final)")).toMatchObject({ ok: false });
    expect(parseEvent("Moved(address user")).toMatchObject({ ok: false });
    expect(parseEvent("event Moved()")).toEqual({ ok: false, problem: "the signature must not start with the keyword event" });
    expect(parseFunction("function f() view returns (bool)")).toEqual({
      ok: false,
      problem: "the signature must not start with the keyword function",
    });
    expect(parseFunction("f() returns (bool)")).toEqual({ ok: false, problem: "the function is neither view nor pure" });
    expect(parseEvent("Moved(uint257x user)")).toEqual({ ok: false, problem: expect.stringContaining("uint257x") });
  });

  it("of hostile length is refused in linear time", () => {
    expect(parseEvent(`Moved(${"address a, ".repeat(100_000)}bool b)`)).toMatchObject({ ok: false });
    expect(parseEvent(`Moved(${"(".repeat(1_900)})`)).toMatchObject({ ok: false });
  });
});

describe("the column of a value", () => {
  it.each([
    ["address", "address"],
    ["bytes", "bytes"],
    ["bytes4", "bytes"],
    ["uint8", "uint256"],
    ["int128", "int256"],
    ["bool", "bool"],
    ["string", "text"],
    ["address[]", "address[]"],
    ["bytes32[4]", "bytes[]"],
    ["uint256[2]", "uint256[]"],
    ["int256[]", "int256[]"],
    ["bool[]", null],
    ["string[]", null],
    ["uint256[][]", null],
    ["tuple", null],
    ["tuple[]", null],
    ["function", null],
  ])("of type %s has the type %s", (abiType, column) => {
    expect(columnTypeOf(abiType)).toBe(column);
  });

  it("stores the hash of an indexed string or array", () => {
    expect(columnTypeOfParameter({ type: "string", indexed: true })).toBe("bytes");
    expect(columnTypeOfParameter({ type: "uint256[2]", indexed: true })).toBe("bytes");
    expect(columnTypeOfParameter({ type: "uint256", indexed: true })).toBe("uint256");
    expect(columnTypeOfParameter({ type: "tuple", indexed: true })).toBeNull();
  });

  it.each([
    ["assetAmount", "asset_amount"],
    ["lpToken0", "lp_token0"],
    ["newBalance", "new_balance"],
    ["_owner", "owner"],
    ["ETHAmount", "eth_amount"],
    ["sold_id", "sold_id"],
  ])("for the parameter %s is named %s", (parameter, column) => {
    expect(snakeCase(parameter)).toBe(column);
  });
});
