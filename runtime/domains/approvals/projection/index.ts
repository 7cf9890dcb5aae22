import { approvalForAll, erc20Approval, erc721Approval, legacyErc721Approval } from "../../../events/approvals.ts";
import type { DecodedBlock, DecodedEvent, Erc20Approval, Erc20Transfer } from "../../../events/decoded-block.ts";
import { transfersByStandard } from "../../../events/transfers.ts";
import { defineProjection, type FoldInput, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type Key, keyText, type State } from "../../../indexer/state/state.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { createSheet } from "./sheet.ts";
import { spendersIn } from "./spenders.ts";
import { allowanceReadsTable, allowancesTable, approvalPeriodTables, nftApprovalsTable, nftOperatorsTable } from "./tables.ts";

/**
 * Who may move whose tokens. The last Approval or ApprovalForAll counts (EIP-20, EIP-721, EIP-1155), and a transfer ends the approval of its id. What is given
 * by or to the zero address is given by or to nobody. Contracts of all kinds are taken at their word: what they say is judged when it is asked for.
 * Where somebody else moved an owner's tokens, an allowance may have been used: whoever ever gave one for that token is entered to be read. One that no event gave,
 * as some permits are, is entered with amount 0 when the transaction shows its spender, and read likewise.
 */
export const approvalsProjection = defineProjection({
  id: "approvals",
  version: 2,
  events: [erc20Approval, erc721Approval, legacyErc721Approval, approvalForAll, ...transfersByStandard],
  tables: [allowancesTable, nftApprovalsTable, nftOperatorsTable, ...approvalPeriodTables, allowanceReadsTable],
  loads: {
    allowances: {
      table: "allowances",
      key: { owner: "bytea", token: "bytea", spender: "bytea" },
      values: ["since_block", "approved_block", "transaction_index", "log_index", "amount"],
    },
    // Whether an owner ever gave an allowance for a token: by it the usual transfer is done with.
    givers: { table: "allowances", key: { owner: "bytea", token: "bytea" }, values: [] },
    nftApprovals: {
      table: "nft_approvals",
      key: { token: "bytea", token_id: "numeric" },
      values: ["since_block", "transaction_index", "log_index", "owner", "spender"],
    },
    nftOperators: {
      table: "nft_operators",
      key: { owner: "bytea", token: "bytea", operator: "bytea" },
      values: ["since_block", "transaction_index", "log_index", "approved"],
    },
  },
  needs: (blocks) => {
    const sets = { allowances: createKeySet(), givers: createKeySet(), nftApprovals: createKeySet(), nftOperators: createKeySet() };
    for (const decoded of blocks) {
      for (const event of decoded.events) {
        for (const { load, key } of touchedBy(decoded, event)) sets[load].add(...key);
      }
    }
    return Object.fromEntries(Object.entries(sets).map(([name, { keys }]) => [name, keys]));
  },
  fold: (blocks, input) => foldApprovals(blocks, input),
});

/** EIP-20 transfer(address,uint256). */
const plainTransfer = "0xa9059cbb";

/**
 * Whether a transfer may have used an allowance: not where the owner called the token's `transfer` itself. Other functions of a token may call a spender, as those that
 * approve and call in one do. What moves nothing uses nothing, and a minting has no owner.
 */
const mayLower = ({ block }: DecodedBlock, { address, from, amount, transactionIndex }: Erc20Transfer): boolean => {
  if (amount === 0n || from === zeroAddress) return false;
  const transaction = block.transactions[transactionIndex];
  return transaction?.from !== from || transaction.to !== address || !transaction.input.startsWith(plainTransfer);
};

/** The stored rows that an event may have to do with. */
const touchedBy = (
  decoded: DecodedBlock,
  event: DecodedEvent,
): readonly { readonly load: "allowances" | "givers" | "nftApprovals" | "nftOperators"; readonly key: Key }[] => {
  switch (event.kind) {
    case "erc20Transfer": {
      if (!mayLower(decoded, event)) return [];
      const { from, address } = event;
      const spender = spendersIn(decoded).get(event);
      const giver = { load: "givers", key: [from, address] } as const;
      return spender === undefined ? [giver] : [giver, { load: "allowances", key: [from, address, spender] }];
    }
    case "erc20Approval":
      return [{ load: "allowances", key: [event.owner, event.address, event.spender] }];
    case "erc721Approval":
    case "erc721Transfer":
      return [{ load: "nftApprovals", key: [event.address, event.tokenId] }];
    case "approvalForAll":
      return [{ load: "nftOperators", key: [event.owner, event.address, event.operator] }];
    default:
      return [];
  }
};

const foldApprovals = (blocks: readonly DecodedBlock[], { state }: Pick<FoldInput, "state">): Record<string, Row[]> => {
  const books = openBooks(state);
  for (const decoded of blocks) {
    for (const event of decoded.events) enter(books, decoded, event);
    for (const sheet of [books.allowances, books.nftApprovals, books.operators]) sheet.endBlock(decoded.block.number);
  }
  const { allowances, nftApprovals, operators, reads } = books;
  return {
    allowances: allowances.latest(),
    allowance_periods: allowances.periods,
    nft_approvals: nftApprovals.latest(),
    nft_approval_periods: nftApprovals.periods,
    nft_operators: operators.latest(),
    nft_operator_periods: operators.periods,
    allowance_reads: [...reads.values()],
  };
};

type Books = ReturnType<typeof openBooks>;

const openBooks = (state: State) => {
  /** Who gave an allowance in these blocks, or had one used. */
  const givers = new Set<string>();
  return {
    allowances: createSheet(
      allowancesTable,
      ({ amount }) => amount === 0n,
      ({ owner, token, spender }) => state.get("allowances", String(owner), String(token), String(spender)),
    ),
    nftApprovals: createSheet(
      nftApprovalsTable,
      ({ spender }) => spender === null,
      ({ token, token_id }) => state.get("nftApprovals", String(token), String(token_id)),
    ),
    operators: createSheet(
      nftOperatorsTable,
      ({ approved }) => approved === false,
      ({ owner, token, operator }) => state.get("nftOperators", String(owner), String(token), String(operator)),
    ),
    givers,
    /** By owner and token. */
    reads: new Map<string, Row>(),
    hasGiven: (owner: Address, token: Address): boolean =>
      givers.has(keyText([owner, token])) || state.get("givers", owner, token) !== undefined,
  };
};

const enter = (books: Books, decoded: DecodedBlock, event: DecodedEvent): void => {
  const token = event.address;
  const place = { transaction_index: event.transactionIndex, log_index: event.logIndex };
  switch (event.kind) {
    case "erc20Approval":
      enterAllowance(books, decoded.block.number, event);
      return;
    case "erc20Transfer":
      if (!mayLower(decoded, event)) return;
      openAllowance(books, decoded, event);
      if (books.hasGiven(event.from, token)) {
        const read = { owner: event.from, token, block_number: decoded.block.number };
        books.reads.set(keyText([event.from, token]), { ...read, read_at_block: null, read_at_hash: null, attempts: 0 });
      }
      return;
    case "erc721Approval": {
      const { owner, spender, tokenId: token_id } = event;
      books.nftApprovals.set({ token, token_id }, { ...place, owner, spender: isNobodys(owner, spender) ? null : spender });
      return;
    }
    case "erc721Transfer": {
      const key = { token, token_id: event.tokenId };
      const approval = books.nftApprovals.get(key);
      if (typeof approval?.spender === "string") books.nftApprovals.set(key, { ...approval, ...place, spender: null });
      return;
    }
    case "approvalForAll": {
      const { owner, operator, approved } = event;
      if (!isNobodys(owner, operator)) books.operators.set({ owner, token, operator }, { ...place, approved });
      return;
    }
    default:
      return;
  }
};

const enterAllowance = (books: Books, block: number, event: Erc20Approval): void => {
  const { owner, address: token, spender, amount, transactionIndex, logIndex } = event;
  if (isNobodys(owner, spender)) return;
  const place = { approved_block: block, transaction_index: transactionIndex, log_index: logIndex };
  books.allowances.set({ owner, token, spender }, { ...place, amount });
  if (amount > 0n) books.givers.add(keyText([owner, token]));
};

/** Makes the allowance known that a transfer may have used, at the transfer's own place, to be read: what nothing gave is nothing until the contract says more. */
const openAllowance = (books: Books, decoded: DecodedBlock, event: Erc20Transfer): void => {
  const { from: owner, address: token, transactionIndex, logIndex } = event;
  const spender = spendersIn(decoded).get(event);
  if (spender === undefined || isNobodys(owner, spender)) return;
  const place = { approved_block: decoded.block.number, transaction_index: transactionIndex, log_index: logIndex };
  books.allowances.open({ owner, token, spender }, { ...place, amount: 0n });
  books.givers.add(keyText([owner, token]));
};

const isNobodys = (owner: Address, spender: Address): boolean => owner === zeroAddress || spender === zeroAddress;
