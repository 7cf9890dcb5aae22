import type { AddressReference, Chain, Currency, Hex, Parsed, Parsers } from "../../../../generated/requests.gen.ts";

const reject = <T>(expected: string): Parsed<T> => ({ ok: false, expected });
const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });
const demo: Chain = { id: 31337, name: "demo" };
const other: Chain = { id: 1, name: "eth-mainnet" };

/** The address that the name `alice.eth` is registered for on the chain demo. */
export const alice: Hex = "0x00000000000000000000000000000000000000a1";

const isHex = (text: string): text is Hex => /^0x[0-9a-f]+$/.test(text);
const reference = (text: string): Parsed<AddressReference> =>
  isHex(text) && text.length === 42 ? accept({ address: text }) : text.includes(".") ? accept({ name: text }) : reject("an address");
const list = <T>(text: string, maxItems: number | undefined, parse: (text: string) => Parsed<T>): Parsed<readonly T[]> => {
  const parsed = text.split(",").map((part) => parse(part));
  const values = parsed.flatMap((entry) => (entry.ok ? [entry.value] : []));
  return values.length === parsed.length && values.length <= (maxItems ?? 99)
    ? accept(values)
    : reject(`a list of up to ${maxItems ?? 99}`);
};

/** Minimal parsers: the tests are about the generated code that calls them. */
export const stubParsers: Parsers = {
  chain: (text) =>
    [demo, other].map((chain) => (text === chain.name ? accept(chain) : null)).find((parsed) => parsed !== null) ??
    reject("demo or eth-mainnet"),
  address: reference,
  addressList: (text, { maxItems }) => list(text, maxItems, reference),
  hash: (text) => (isHex(text) ? accept(text) : reject("a hash")),
  topicList: (text, { maxItems }) => list(text, maxItems, (part) => (isHex(part) ? accept(part) : reject("a topic"))),
  height: (text) => (text === "latest" ? accept(text) : /^\d+$/.test(text) ? accept(Number(text)) : reject("a height")),
  block: (text) =>
    text === "latest" || text === "earliest" ? accept(text) : /^\d+$/.test(text) ? accept(Number(text)) : reject("a block"),
  date: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? accept(text) : reject("a day")),
  dateOrLatest: (text) => (text === "latest" || /^\d{4}-\d\d-\d\d$/.test(text) ? accept(text) : reject("a day or latest")),
  integer: (text, { minimum = 0, maximum = 9e15 }) =>
    /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      ? accept(Number(text))
      : reject(`a whole number from ${minimum} to ${maximum}`),
  boolean: (text) => (text === "true" || text === "false" ? accept(text === "true") : reject("true or false")),
  currency: (text) => (text === "USD" || text === "EUR" ? accept<Currency>(text) : reject("USD or EUR")),
  choice: (text, values) => (values.includes(text) ? accept(text) : reject(values.join(" or "))),
  text: (text) => accept(text),
  textList: (text, { maxItems }) => list(text, maxItems, (part) => accept(part)),
  tokenId: (text) => (/^\d+$/.test(text) ? accept(BigInt(text)) : reject("a token id")),
  resolveName: async (chain, name) => (name === "alice.eth" && (chain === null || chain.name === "demo") ? alice : null),
  addressExpected: "0x followed by 40 hex digits or a registered name",
  restriction: (chain, group) => (group === "historical" && chain.name === "demo" ? ["eth-mainnet"] : null),
};
