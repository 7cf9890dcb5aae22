import { type Address, encodeAbiParameters, type Hex, stringToHex, toHex } from "viem";
import type { Teller } from "./story-builder.ts";
import type { People, StoryToken } from "./story-coins.ts";

const text = (value: string): Hex => encodeAbiParameters([{ type: "string" }], [value]);
const number = (value: bigint): Hex => toHex(value, { size: 32 });
const reverting: Hex = "0xfe";

/** What a coin answers, and what a reader may be told of it. */
interface Naming {
  readonly answers: readonly [name: Hex, symbol: Hex, decimals: Hex];
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const rightToLeftOverride = "\u202e";

/** Every way in which tokens misname themselves. */
export const namings: Readonly<Record<string, Naming>> = {
  // As tokens older than EIP-20's final text do: 32 bytes with zeros at the end.
  bytes32: {
    answers: [stringToHex("Maker", { size: 32 }), stringToHex("MKR", { size: 32 }), number(18n)],
    name: "Maker",
    symbol: "MKR",
    decimals: 18,
  },
  reverting: { answers: [reverting, reverting, reverting], name: null, symbol: null, decimals: null },
  empty: { answers: ["0x", "0x", "0x"], name: null, symbol: null, decimals: null },
  emptyText: { answers: [text(""), text(""), number(0n)], name: null, symbol: null, decimals: 0 },
  // A uint8 goes up to 255; what is above is no answer to decimals().
  manyDecimals: { answers: [text("Many"), text("MANY"), number(255n)], name: "Many", symbol: "MANY", decimals: 255 },
  absurdDecimals: { answers: [text("Absurd"), text("ABS"), number(2n ** 200n)], name: "Absurd", symbol: "ABS", decimals: null },
  // Without the characters that a terminal acts on.
  controls: {
    answers: [text("Be\u0007ll\u001b[31m\r\n\0"), text("\tBEL\u007f"), number(6n)],
    name: "Bell[31m",
    symbol: "BEL",
    decimals: 6,
  },
  bidirectional: {
    answers: [text(`${rightToLeftOverride}DSU\u2066`), text(`A${rightToLeftOverride}B`), number(6n)],
    name: "DSU",
    symbol: "AB",
    decimals: 6,
  },
  // Kept as text: whoever shows it escapes it.
  markup: {
    answers: [text("<script>alert(1)</script>"), text("<b>"), number(18n)],
    name: "<script>alert(1)</script>",
    symbol: "<b>",
    decimals: 18,
  },
  formula: {
    answers: [text('=HYPERLINK("http://x","y")'), text('+1,"2"'), number(18n)],
    name: '=HYPERLINK("http://x","y")',
    symbol: '+1,"2"',
    decimals: 18,
  },
  // 200 characters are kept.
  long: {
    answers: [text("L".repeat(10_240)), text("é".repeat(300)), number(18n)],
    name: "L".repeat(200),
    symbol: "é".repeat(200),
    decimals: 18,
  },
  // Says that it is longer than what came.
  truncated: {
    answers: [`${text("cut").slice(0, 66)}${number(999n).slice(2)}${stringToHex("cut").slice(2)}` as Hex, text("CUT"), number(1n)],
    name: null,
    symbol: "CUT",
    decimals: 1,
  },
  invalid: {
    answers: [`${text("xx").slice(0, 130)}${"fffe"}${"0".repeat(60)}` as Hex, text("INV"), "0x05"],
    name: null,
    symbol: "INV",
    decimals: null,
  },
};

/** A coin for each way to misname oneself, held by Alice and Bob. */
export async function tellNames(teller: Teller, { alice, bob }: People): Promise<StoryToken[]> {
  const { chain } = teller;
  const coins: (StoryToken & { readonly call: Awaited<ReturnType<Teller["deploy"]>>["call"] })[] = [];
  for (const [name, { answers }] of Object.entries(namings)) {
    const { address, call } = await teller.deploy("RawCoin", answers);
    coins.push({ name, address, kind: "erc20", truth: "events", call });
  }
  await teller.block(...coins.map(({ call }) => ({ ...call("mint", alice, 1_000n), gas: 150_000n })));
  await teller.block(...coins.map(({ call }) => ({ from: alice, ...call("transfer", bob, 400n), gas: 150_000n })));
  await chain.mine();
  return coins.map(({ call: _, ...token }) => token);
}

/** A coin that its own creation ends, and one that dies later where the fork lets it. */
export async function tellGhosts(
  teller: Teller,
  { alice, bob }: People,
  mortal: { readonly address: Address; readonly die: Hex },
): Promise<StoryToken[]> {
  const ghost = await teller.deploy("GhostCoin", [bob, 77n]);
  await teller.block({ from: alice, to: mortal.address, data: mortal.die });
  return [{ name: "ghost", address: ghost.address, kind: "erc20", truth: "gone" }];
}
