import { approvalForAll, erc20Approval, erc721Approval, legacyErc721Approval } from "../../../events/approvals.ts";
import type { DecodedBlock, DecodedEvent, Erc20Approval, Erc20Transfer } from "../../../events/decoded-block.ts";
import { tokenTransferEvents } from "../../../events/transfers.ts";
import { defineProjection, type FoldInput, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type Key, keyText, type State } from "../../../indexer/state/state.ts";
import { createValueHistory } from "../../../indexer/state/value-history.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { spendersIn } from "./spenders.ts";
import { allowanceReadsTable, allowancesTable, approvalPeriodTables, nftApprovalsTable, nftOperatorsTable } from "./tables.ts";

/**
 * Approvals: which accounts may transfer others' tokens. The last Approval or ApprovalForAll applies (EIP-20, EIP-721, EIP-1155), and a transfer ends the
 * approval of its token id. Approvals by or to the zero address are ignored. Events of all contracts are stored; queries decide which contracts to trust. A
 * transfer by another account may have used an allowance: if the owner ever granted one for the token, its allowances are queued to be read from the contract.
 * Some permits grant an allowance without an event: if the transaction identifies the spender, the allowance is stored with amount 0 and read as well.
 */
export const approvalsProjection = defineProjection({
  id: "approvals",
  version: 2,
  events: [erc20Approval, erc721Approval, legacyErc721Approval, approvalForAll, ...tokenTransferEvents],
  tables: [allowancesTable, nftApprovalsTable, nftOperatorsTable, ...approvalPeriodTables, allowanceReadsTable],
  loads: {
    allowances: {
      table: "allowances",
      key: { owner: "bytea", token: "bytea", spender: "bytea" },
      valueColumns: ["since_block", "approved_block", "transaction_index", "log_index", "amount"],
    },
    // Whether an owner ever granted an allowance for a token; most transfers need no other check.
    approvers: { table: "allowances", key: { owner: "bytea", token: "bytea" }, valueColumns: [] },
    nftApprovals: {
      table: "nft_approvals",
      key: { token: "bytea", token_id: "numeric" },
      valueColumns: ["since_block", "transaction_index", "log_index", "owner", "spender"],
    },
    nftOperators: {
      table: "nft_operators",
      key: { owner: "bytea", token: "bytea", operator: "bytea" },
      valueColumns: ["since_block", "transaction_index", "log_index", "approved"],
    },
  },
  keysToLoad: (blocks) => {
    const sets = { allowances: createKeySet(), approvers: createKeySet(), nftApprovals: createKeySet(), nftOperators: createKeySet() };
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
 * Whether a transfer may have lowered an allowance. A direct call to the token's `transfer` by the owner cannot; other functions of a token may call a spender
 * (approveAndCall). A transfer of 0 uses no allowance, and a mint has no owner.
 */
const mayLowerAllowance = ({ block }: DecodedBlock, { address, from, amount, transactionIndex }: Erc20Transfer): boolean => {
  if (amount === 0n || from === zeroAddress) return false;
  const transaction = block.transactions[transactionIndex];
  return transaction?.from !== from || transaction.to !== address || !transaction.input.startsWith(plainTransfer);
};

/** The stored rows that an event may change or depend on. */
const touchedBy = (
  decoded: DecodedBlock,
  event: DecodedEvent,
): readonly { readonly load: "allowances" | "approvers" | "nftApprovals" | "nftOperators"; readonly key: Key }[] => {
  switch (event.kind) {
    case "erc20Transfer": {
      if (!mayLowerAllowance(decoded, event)) return [];
      const { from, address } = event;
      const spender = spendersIn(decoded).get(event);
      const approver = { load: "approvers", key: [from, address] } as const;
      return spender === undefined ? [approver] : [approver, { load: "allowances", key: [from, address, spender] }];
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
  const histories = createHistories(state);
  for (const decoded of blocks) {
    for (const event of decoded.events) applyEvent(histories, decoded, event);
    for (const history of [histories.allowances, histories.nftApprovals, histories.operators]) history.endBlock(decoded.block.number);
  }
  const { allowances, nftApprovals, operators, reads } = histories;
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

type Histories = ReturnType<typeof createHistories>;

const createHistories = (state: State) => {
  /** Owners and tokens with an allowance in these blocks. */
  const approvers = new Set<string>();
  return {
    allowances: createValueHistory(
      allowancesTable,
      ({ amount }) => amount === 0n,
      ({ owner, token, spender }) => state.get("allowances", String(owner), String(token), String(spender)),
    ),
    nftApprovals: createValueHistory(
      nftApprovalsTable,
      ({ spender }) => spender === null,
      ({ token, token_id }) => state.get("nftApprovals", String(token), String(token_id)),
    ),
    operators: createValueHistory(
      nftOperatorsTable,
      ({ approved }) => approved === false,
      ({ owner, token, operator }) => state.get("nftOperators", String(owner), String(token), String(operator)),
    ),
    approvers,
    /** Queued reads by owner and token. */
    reads: new Map<string, Row>(),
    hasApproved: (owner: Address, token: Address): boolean =>
      approvers.has(keyText([owner, token])) || state.get("approvers", owner, token) !== undefined,
  };
};

const applyEvent = (histories: Histories, decoded: DecodedBlock, event: DecodedEvent): void => {
  const token = event.address;
  const position = { transaction_index: event.transactionIndex, log_index: event.logIndex };
  switch (event.kind) {
    case "erc20Approval":
      setAllowance(histories, decoded.block.number, event);
      return;
    case "erc20Transfer":
      if (!mayLowerAllowance(decoded, event)) return;
      addUnreportedAllowance(histories, decoded, event);
      if (histories.hasApproved(event.from, token)) {
        const read = { owner: event.from, token, block_number: decoded.block.number };
        histories.reads.set(keyText([event.from, token]), { ...read, read_at_block: null, read_at_hash: null, attempts: 0 });
      }
      return;
    case "erc721Approval": {
      const { owner, spender, tokenId: token_id } = event;
      histories.nftApprovals.set(
        { token, token_id },
        { ...position, owner, spender: involvesZeroAddress(owner, spender) ? null : spender },
      );
      return;
    }
    case "erc721Transfer": {
      const key = { token, token_id: event.tokenId };
      const approval = histories.nftApprovals.get(key);
      if (typeof approval?.spender === "string") histories.nftApprovals.set(key, { ...approval, ...position, spender: null });
      return;
    }
    case "approvalForAll": {
      const { owner, operator, approved } = event;
      if (!involvesZeroAddress(owner, operator)) histories.operators.set({ owner, token, operator }, { ...position, approved });
      return;
    }
    default:
      return;
  }
};

const setAllowance = (histories: Histories, block: number, event: Erc20Approval): void => {
  const { owner, address: token, spender, amount, transactionIndex, logIndex } = event;
  if (involvesZeroAddress(owner, spender)) return;
  const position = { approved_block: block, transaction_index: transactionIndex, log_index: logIndex };
  histories.allowances.set({ owner, token, spender }, { ...position, amount });
  if (amount > 0n) histories.approvers.add(keyText([owner, token]));
};

/** Adds an allowance that no event reported but that a transfer may have used. Its amount is 0 until it is read. */
const addUnreportedAllowance = (histories: Histories, decoded: DecodedBlock, event: Erc20Transfer): void => {
  const { from: owner, address: token, transactionIndex, logIndex } = event;
  const spender = spendersIn(decoded).get(event);
  if (spender === undefined || involvesZeroAddress(owner, spender)) return;
  const position = { approved_block: decoded.block.number, transaction_index: transactionIndex, log_index: logIndex };
  histories.allowances.setFirst({ owner, token, spender }, { ...position, amount: 0n });
  histories.approvers.add(keyText([owner, token]));
};

const involvesZeroAddress = (owner: Address, spender: Address): boolean => owner === zeroAddress || spender === zeroAddress;
