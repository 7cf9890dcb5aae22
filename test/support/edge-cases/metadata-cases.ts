import { type Address, encodeAbiParameters, type Hex, stringToHex, toHex } from "viem";
import type { StoryBuilder } from "./story-builder.ts";
import type { Accounts, StoryToken } from "./story-coins.ts";

const text = (value: string): Hex => encodeAbiParameters([{ type: "string" }], [value]);
const number = (value: bigint): Hex => toHex(value, { size: 32 });
const reverting: Hex = "0xfe";

/** The raw results of a coin's metadata functions, and the served values. */
interface MetadataCase {
  readonly results: readonly [name: Hex, symbol: Hex, decimals: Hex];
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const rightToLeftOverride = "\u202e";

/** Unusual results from name(), symbol() and decimals(). */
export const metadataCases: Readonly<Record<string, MetadataCase>> = {
  // 32 bytes, padded with zeros, as in tokens that predate the final EIP-20.
  bytes32: {
    results: [stringToHex("Maker", { size: 32 }), stringToHex("MKR", { size: 32 }), number(18n)],
    name: "Maker",
    symbol: "MKR",
    decimals: 18,
  },
  reverting: { results: [reverting, reverting, reverting], name: null, symbol: null, decimals: null },
  empty: { results: ["0x", "0x", "0x"], name: null, symbol: null, decimals: null },
  emptyText: { results: [text(""), text(""), number(0n)], name: null, symbol: null, decimals: 0 },
  // decimals() is a uint8, so larger values are invalid.
  manyDecimals: { results: [text("Many"), text("MANY"), number(255n)], name: "Many", symbol: "MANY", decimals: 255 },
  absurdDecimals: { results: [text("Absurd"), text("ABS"), number(2n ** 200n)], name: "Absurd", symbol: "ABS", decimals: null },
  // Control characters are removed.
  controls: {
    results: [text("Be\u0007ll\u001b[31m\r\n\0"), text("\tBEL\u007f"), number(6n)],
    name: "Bell[31m",
    symbol: "BEL",
    decimals: 6,
  },
  bidirectional: {
    results: [text(`${rightToLeftOverride}DSU\u2066`), text(`A${rightToLeftOverride}B`), number(6n)],
    name: "DSU",
    symbol: "AB",
    decimals: 6,
  },
  // Served unchanged; escaping is up to the client.
  markup: {
    results: [text("<script>alert(1)</script>"), text("<b>"), number(18n)],
    name: "<script>alert(1)</script>",
    symbol: "<b>",
    decimals: 18,
  },
  formula: {
    results: [text('=HYPERLINK("http://x","y")'), text('+1,"2"'), number(18n)],
    name: '=HYPERLINK("http://x","y")',
    symbol: '+1,"2"',
    decimals: 18,
  },
  // Truncated to 200 characters.
  long: {
    results: [text("L".repeat(10_240)), text("é".repeat(300)), number(18n)],
    name: "L".repeat(200),
    symbol: "é".repeat(200),
    decimals: 18,
  },
  // The length exceeds the data.
  truncated: {
    results: [`${text("cut").slice(0, 66)}${number(999n).slice(2)}${stringToHex("cut").slice(2)}` as Hex, text("CUT"), number(1n)],
    name: null,
    symbol: "CUT",
    decimals: 1,
  },
  invalid: {
    results: [`${text("xx").slice(0, 130)}${"fffe"}${"0".repeat(60)}` as Hex, text("INV"), "0x05"],
    name: null,
    symbol: "INV",
    decimals: null,
  },
};

/** Deploys a coin for each metadata case, held by Alice and Bob. */
export async function addMetadataCases(builder: StoryBuilder, { alice, bob }: Accounts): Promise<StoryToken[]> {
  const { chain } = builder;
  const coins: (StoryToken & { readonly call: Awaited<ReturnType<StoryBuilder["deploy"]>>["call"] })[] = [];
  for (const [name, { results }] of Object.entries(metadataCases)) {
    const { address, call } = await builder.deploy("RawMetadataCoin", results);
    coins.push({ name, address, kind: "erc20", balanceSource: "events", call });
  }
  await builder.mineBlock(...coins.map(({ call }) => ({ ...call("mint", alice, 1_000n), gas: 150_000n })));
  await builder.mineBlock(...coins.map(({ call }) => ({ from: alice, ...call("transfer", bob, 400n), gas: 150_000n })));
  await chain.mine();
  return coins.map(({ call: _, ...token }) => token);
}

/** Deploys a coin that self-destructs in its constructor, and calls SELFDESTRUCT in a second coin, whose code remains since EIP-6780. */
export async function addDestroyedTokens(
  builder: StoryBuilder,
  { alice, bob }: Accounts,
  mortal: { readonly address: Address; readonly destroyData: Hex },
): Promise<StoryToken[]> {
  const ghost = await builder.deploy("ShortLivedCoin", [bob, 77n]);
  await builder.mineBlock({ from: alice, to: mortal.address, data: mortal.destroyData });
  return [{ name: "ghost", address: ghost.address, kind: "erc20", balanceSource: "none" }];
}
