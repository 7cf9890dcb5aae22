import type { CallOutcome } from "../chain/source.ts";
import { type Address, type Hex, zeroAddress } from "../lib/hex.ts";
import type { DecodedBlock, DecodedEvent, Erc721Approval, Erc721Transfer, HybridTransfer } from "./decoded-block.ts";

/**
 * ERC-20 and ERC-721 share the signatures of Transfer and Approval. A log with two indexed arguments is an ERC-20 event. A log with three or none is an ERC-721
 * event in nearly all contracts, but some ERC-20 tokens index the amount, or nothing: calls to the contract determine the
 * standard, and whether an ERC20Transfer transfers ERC-20 tokens.
 */
type AmbiguousEvent = Erc721Transfer | Erc721Approval | HybridTransfer;

const isAmbiguous = (event: DecodedEvent): event is AmbiguousEvent =>
  event.kind === "erc721Transfer" || event.kind === "erc721Approval" || event.kind === "hybridTransfer";

/** The standards that a contract demonstrably implements; neither if the results are inconclusive. ERC-404 contracts implement both. */
export interface ContractEvidence {
  readonly isCoin: boolean;
  readonly isCollection: boolean;
}

/** A contract to call: its first block with an ambiguous event, and an id or amount of that block. */
export interface EvidenceSubject {
  readonly address: Address;
  readonly block: number;
  readonly value: bigint;
  /** Whether it emitted Transfers of both forms in that block: if one form contains amounts, the other contains ids. */
  readonly hasBothForms: boolean;
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
/** Two arbitrary accounts: only the existence of the function matters. */
const twoAccounts = `${word(1n)}${word(2n)}`;

/** EIP-165 supportsInterface(0x80ac58cd), which is EIP-721's id, and EIP-20 allowance(address,address), which collections lack. */
export const claimCalls: readonly Hex[] = [`0x01ffc9a780ac58cd${"0".repeat(56)}`, `0xdd62ed3e${twoAccounts}`];

/** EIP-721 ownerOf(uint256) and isApprovedForAll(address,address), and EIP-20 decimals(). */
export const functionCalls = ({ value }: EvidenceSubject): readonly Hex[] => [
  `0x6352211e${word(value)}`,
  `0xe985e9c5${twoAccounts}`,
  "0x313ce567",
];

/** Whether a contract claims EIP-721's interface, so that no other call is needed. */
export const claimsCollection = ([claim]: readonly (CallOutcome | undefined)[]): boolean => firstWord(claim) === 1n;

/** The evidence in the results of `claimCalls` and, if they were sent, `functionCalls`. */
export const evidenceOf = (
  { hasBothForms }: EvidenceSubject,
  [claim, allowance]: readonly (CallOutcome | undefined)[],
  [owner, operator, decimals]: readonly (CallOutcome | undefined)[],
): ContractEvidence => {
  const [ownerWord, operatorWord, decimalsWord] = [owner, operator, decimals].map(firstWord);
  return {
    // Collections may return 0 decimals, because their tokens are indivisible.
    isCoin: firstWord(allowance) !== null || isBetween(decimalsWord, 1n, 255n),
    isCollection: claimsCollection([claim]) || isBetween(ownerWord, 0n, 2n ** 160n - 1n) || isBetween(operatorWord, 0n, 1n) || hasBothForms,
  };
};

/** The length of one word in hex, with 0x; a hostile result may be far longer. */
const wordLength = 66;

const firstWord = (outcome: CallOutcome | undefined): bigint | null =>
  outcome?.ok === true && outcome.data.length >= wordLength ? BigInt(outcome.data.slice(0, wordLength)) : null;

const isBetween = (value: bigint | null | undefined, lowest: bigint, highest: bigint): boolean =>
  value !== null && value !== undefined && value >= lowest && value <= highest;

/** The contracts with ambiguous events, each with the first block that contains one. */
export const subjectsOf = (blocks: readonly DecodedBlock[]): Map<Address, EvidenceSubject> => {
  const subjects = new Map<Address, EvidenceSubject>();
  for (const { block, events } of blocks) {
    const found = lastReceivedOf(events.filter(isAmbiguous));
    if ([...found.keys()].every((address) => subjects.has(address))) continue;
    const forms = formsOf(events);
    for (const [address, event] of found) {
      if (subjects.has(address)) continue;
      const hasBothForms = forms.amounts.has(address) && forms.ids.has(address);
      const value = event.kind === "hybridTransfer" ? event.amount : event.tokenId;
      subjects.set(address, { address, block: block.number, value, hasBothForms });
    }
  }
  return subjects;
};

/** For each contract, the event whose id most likely has an owner after the block: the last one that is not a burn. */
const lastReceivedOf = (events: readonly AmbiguousEvent[]): Map<Address, AmbiguousEvent> => {
  const found = new Map<Address, AmbiguousEvent>();
  for (const event of events) {
    const previous = found.get(event.address);
    if (previous === undefined || !isBurn(event) || isBurn(previous)) found.set(event.address, event);
  }
  return found;
};

/** Whether the event's id has no owner after it, or the event contains no id. */
const isBurn = (event: AmbiguousEvent): boolean => event.kind !== "erc721Transfer" || event.to === zeroAddress;

const formsOf = (events: readonly DecodedEvent[]) => {
  const [amounts, ids] = [new Set<Address>(), new Set<Address>()];
  for (const { kind, address } of events) {
    if (kind === "erc20Transfer") amounts.add(address);
    else if (kind === "erc721Transfer") ids.add(address);
  }
  return { amounts, ids };
};

/**
 * Decodes blocks' ambiguous events according to the evidence: as ERC-20 events for contracts that implement only ERC-20, and marked as hybrid for contracts
 * that implement both. Without evidence, the log's form determines the standard. Blocks without events to decode again are returned unchanged.
 */
export const withStandards = (
  blocks: readonly DecodedBlock[],
  evidenceFor: (address: Address) => ContractEvidence | undefined,
): DecodedBlock[] =>
  blocks.map((decoded) => {
    const isRedecoded = (event: DecodedEvent): event is AmbiguousEvent =>
      isAmbiguous(event) && (event.kind === "hybridTransfer" || evidenceFor(event.address)?.isCoin === true);
    if (!decoded.events.some(isRedecoded)) return decoded;
    return {
      ...decoded,
      events: decoded.events.flatMap((event) => (isRedecoded(event) ? redecode(event, evidenceFor(event.address)) : [event])),
    };
  });

const redecode = (event: AmbiguousEvent, evidence: ContractEvidence | undefined): DecodedEvent[] => {
  const { isCoin = false, isCollection = false } = evidence ?? {};
  const isHybrid = isCoin && isCollection;
  if (event.kind === "hybridTransfer") return isHybrid ? [{ ...event, kind: "erc20Transfer" }] : [];
  if (isHybrid) return [event.kind === "erc721Transfer" ? { ...event, isHybrid: true } : event];
  const { address, transactionIndex, logIndex, tokenId: amount } = event;
  const position = { address, transactionIndex, logIndex };
  return event.kind === "erc721Transfer"
    ? [{ kind: "erc20Transfer", ...position, from: event.from, to: event.to, amount }]
    : [{ kind: "erc20Approval", ...position, owner: event.owner, spender: event.spender, amount }];
};
