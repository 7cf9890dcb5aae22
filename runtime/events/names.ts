import { keccak256 } from "viem";
import type { ChainLog } from "../chain/types.ts";
import { type Address, type Hash, type Hex, zeroAddress } from "../lib/hex.ts";
import type { EventDefinition, NameEventFields } from "./decoded-block.ts";
import { addressAt, smallWordAt, wordAt, wordCount } from "./words.ts";

/** Max bytes of a name: 255 characters (RFC 1035, section 2.3.4) of up to four bytes. */
const maxNameBytes = 1_020;
/** Ether's coin type (SLIP-44), as used by EIP-2304. */
const etherCoin = 60n;

const define = (
  id: string,
  topic0: Hash,
  indexed: number,
  read: (log: ChainLog, node: Hash) => NameEventFields | null,
): EventDefinition => ({
  id,
  topic0,
  decode: (log, transactionIndex) => {
    const node = log.topics[1];
    if (log.topics.length !== 1 + indexed || node === undefined) return null;
    const fact = read(log, node);
    return fact === null ? null : { address: log.address, transactionIndex, logIndex: log.index, ...fact };
  },
});

/** EIP-137's NewOwner(bytes32,bytes32,address): sets the owner of a child node, identified by the hash of its label. */
export const nameNewOwner = define(
  "nameNewOwner",
  "0xce0457fe73731f824cc272376169235128c118b49d344817417c6d108d155e82",
  2,
  (log, parent) => {
    const owner = onlyAddress(log.data);
    const label = log.topics[2];
    if (owner === null || label === undefined) return null;
    return { kind: "nameOwner", node: keccak256(`${parent}${label.slice(2)}`), owner };
  },
);

/** EIP-137's Transfer(bytes32,address). */
export const nameTransfer = define("nameTransfer", "0xd4735d920b0f87494915f556dd9b54c8f309026070caea5c737245152564d266", 1, (log, node) => {
  const owner = onlyAddress(log.data);
  return owner === null ? null : { kind: "nameOwner", node, owner };
});

/** EIP-137's NewResolver(bytes32,address). */
export const nameNewResolver = define(
  "nameNewResolver",
  "0x335721b01866dc23fbee8b6b2c7b1e14d6f05c28cd35a2c934239f94095602a0",
  1,
  (log, node) => {
    const resolver = onlyAddress(log.data);
    return resolver === null ? null : { kind: "nameResolver", node, resolver: nullIfZero(resolver) };
  },
);

/** EIP-137's AddrChanged(bytes32,address). */
export const nameAddrChanged = define(
  "nameAddrChanged",
  "0x52d7d861f09ab3d26239d492e8968629f95e9e318cf0b73bfddc441522a15fd2",
  1,
  (log, node) => {
    const account = onlyAddress(log.data);
    return account === null ? null : { kind: "nameAddress", node, account: nullIfZero(account) };
  },
);

/** EIP-2304's AddressChanged(bytes32,uint256,bytes) for ether addresses; any length other than 20 bytes clears the address. */
export const nameAddressChanged = define(
  "nameAddressChanged",
  "0x65412581168e88a1e60c6459d7f44ae83ad0832e670826c05a4e2476b57af752",
  1,
  (log, node) => {
    if (log.data.length < 2 + 3 * 64 || wordAt(log.data, 0) !== etherCoin) return null;
    const body = bytesAt(log.data, 1, 20);
    if (body === null) return null;
    return { kind: "nameAddress", node, account: body.length === 42 ? nullIfZero(body) : null };
  },
);

/** EIP-181's NameChanged(bytes32,string): the name that a node's owner claims; null if it is empty, too long, invalid UTF-8 or contains NUL. */
export const nameNameChanged = define(
  "nameNameChanged",
  "0xb7d29e911041e8d9b843369e890bcb72c9388692ba48b65ac54e7214c4c348f7",
  1,
  (log, node) => {
    const body = bytesAt(log.data, 0, maxNameBytes);
    return body === null ? null : { kind: "nameText", node, name: toName(body) };
  },
);

/** VersionChanged(bytes32,uint64) of newer resolvers: clears every record of the node. */
export const nameVersionChanged = define(
  "nameVersionChanged",
  "0xc6621ccb8f3f5a04bb6502154b2caf6adf5983fe76dfef1cfc9c42e3579db444",
  1,
  (log, node) => (wordCount(log.data) === 1 ? { kind: "nameCleared", node } : null),
);

const onlyAddress = (data: Hex): Address | null => (wordCount(data) === 1 ? addressAt(data, 0) : null);

const nullIfZero = (address: Address): Address | null => (address === zeroAddress ? null : address);

/** The bytes at the offset in word `head`; "0x" if they are longer than `maxBytes`, null if they exceed the data. */
const bytesAt = (data: Hex, head: number, maxBytes: number): Hex | null => {
  const size = (data.length - 2) / 2;
  if (size < 32 * (head + 1)) return null;
  const offset = smallWordAt(data, head);
  if (offset < 0 || offset % 32 !== 0 || offset + 32 > size) return null;
  const length = smallWordAt(data, offset / 32);
  if (length < 0 || offset + 32 + length > size) return null;
  const start = 2 + 2 * (offset + 32);
  return length > maxBytes ? "0x" : `0x${data.slice(start, start + 2 * length)}`;
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const toName = (body: Hex): string | null => {
  try {
    const name = utf8.decode(Buffer.from(body.slice(2), "hex"));
    return name === "" || name.includes("\0") ? null : name;
  } catch {
    return null;
  }
};
