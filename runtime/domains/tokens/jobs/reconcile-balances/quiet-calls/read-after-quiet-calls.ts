import { type ContractBackoff, createContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { createHolderQueries } from "../../../queries/holder.ts";
import { indexedHead, isIndexedBlock, readBalances, writeIfCanonical } from "../as-of-head.ts";
import type { UnreadBackoff } from "../holders/read-unknown-balances.ts";
import { type OwnerBalance, writeBalancesAt } from "../holders/write-balances-at.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { markRead, nextUnreadCall, type UnreadCall } from "./quiet-calls.ts";

/** Max holders that are read as of one call, largest first; smaller holders are read only at the head (refresh-balances). */
const maxHolders = 20_000;
const holdersPerRun = 450;
/** A node without archive state keeps the state of about 128 blocks. */
const recentBlocks = 100;

/** A block as of which holders are read, and the owners that have not been read yet. */
interface Reading {
  readonly call: UnreadCall;
  readonly block: IndexedBlock;
  readonly owners: readonly Address[];
}

/** Reads the holders of node-sourced tokens as of quiet calls, one block per token in rotation. */
export const createReadAfterQuietCallsJob = (settings: ReconciliationSettings, unread: UnreadBackoff): Job => {
  const backoff = createContractBackoff(settings.backoffMilliseconds);
  let reading: Reading | null = null;
  let lastToken: Address = zeroAddress;
  return {
    name: "read-after-quiet-calls",
    intervalMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const head = await indexedHead(context);
      if (head === null) return false;
      if (reading === null || !(await isIndexedBlock(context.database, context.chainId, reading.block))) {
        reading = await nextReading(context, head, lastToken, backoff, unread);
        lastToken = reading?.call.token ?? zeroAddress;
        if (reading === null) return false;
      }
      const { call, owners } = reading;
      const portion = owners.slice(0, holdersPerRun);
      const read = await readAt(context, call, portion);
      if (portion.length > 0 && read.length === 0) {
        backoff.recordFailure(call.token, context.clock());
        reading = null;
        return false;
      }
      const remaining = owners.slice(portion.length);
      if (!(await write(context, head, call, read, remaining.length === 0))) return false;
      reading = remaining.length === 0 ? null : { ...reading, owners: remaining };
      return true;
    },
  };
};

/**
 * The next block to read, with the token's holders as of the block and the owners that its calls name; without owners if the node lacks the block's state.
 * Null if there is no such block.
 */
const nextReading = async (
  context: JobContext,
  head: IndexedBlock,
  lastToken: Address,
  backoff: ContractBackoff,
  unread: UnreadBackoff,
): Promise<Reading | null> => {
  const { chainId, clock, database, source } = context;
  const { hasArchiveState } = source.capabilities;
  const unresponsive = { current: unread.current.contractsToSkip(clock()), periods: unread.periods.contractsToSkip(clock()) };
  const next = (after: Address) =>
    nextUnreadCall(database, chainId, after, hasArchiveState, backoff.contractsToSkip(clock()), unresponsive);
  const call = (await next(lastToken)) ?? (lastToken === zeroAddress ? null : await next(zeroAddress));
  if (call === null) return null;
  const [block] = await database.query<IndexedBlock>("SELECT number, hash FROM blocks WHERE chain_id = $1 AND number = $2", [
    chainId,
    call.block,
  ]);
  if (block === undefined) return null;
  if (!hasArchiveState && head.number - call.block >= recentBlocks) return { call, block, owners: [] };
  const holders = await createHolderQueries(database).holdersAt(chainId, call.token, standards.erc20, call.block, {
    limit: maxHolders,
    offset: 0,
  });
  const owners = new Set([...call.owners, ...holders.map(({ owner }) => owner)]);
  // The zero address is compared together with the supply.
  owners.delete(zeroAddress);
  return { call, block, owners: [...owners] };
};

const readAt = async (context: JobContext, { token, block }: UnreadCall, owners: readonly Address[]): Promise<OwnerBalance[]> => {
  const keys = owners.map((owner) => ({ owner, token, standard: standards.erc20, tokenId: null }));
  const balances = await readBalances(context, keys, block);
  return owners.flatMap((owner, position) => {
    const balance = balances[position] ?? null;
    return balance === null ? [] : [{ owner, balance }];
  });
};

const write = async (
  context: JobContext,
  head: IndexedBlock,
  call: UnreadCall,
  read: readonly OwnerBalance[],
  isLast: boolean,
): Promise<boolean> => {
  const isDone = await writeIfCanonical(context, head, async (client) => {
    await writeBalancesAt(client, context.chainId, call.token, call.block, head.number, read);
    if (isLast) await markRead(client, context.chainId, call);
    return true;
  });
  return isDone === true;
};
