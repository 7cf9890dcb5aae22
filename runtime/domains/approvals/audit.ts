import type { CallOutcome, Source } from "../../chain/source.ts";
import type { Queryable } from "../../database/database.ts";
import { type AuditRow, auditRow } from "../../lib/audit-row.ts";
import { type Address, type Hex, zeroAddress } from "../../lib/hex.ts";
import { allowanceCall, firstWord } from "./jobs/read-allowances/call-allowances.ts";

interface SampledApproval {
  readonly token: Address;
  readonly subject: string;
  readonly index: string | null;
  readonly data: Hex;
}

/**
 * Compares up to `sample` approvals of each kind as of a block with the contract's `allowance`, `getApproved` and `isApprovedForAll` at that block. An
 * allowance is compared only if it has not changed since that block, because the block at which a contract lowered it is unknown. Allowances in doubt count as
 * unknown.
 */
export async function auditApprovals(
  database: Queryable,
  source: Pick<Source, "runCalls">,
  chainId: number,
  height: number,
  sample: number,
): Promise<AuditRow[]> {
  const parameters = [chainId, height, sample];
  const compare = async (
    subject: string,
    sampled: readonly SampledApproval[],
    decode: (outcome: CallOutcome | undefined) => string | null,
  ) => {
    const calls = sampled.map(({ token, data }) => ({ to: token, data }));
    const outcomes = await source.runCalls(calls, height);
    return auditRow(
      subject,
      sampled.map((approval, position) => ({
        subject: `${approval.subject} at block ${height}`,
        index: approval.index,
        node: decode(outcomes[position]),
      })),
    );
  };
  return [
    await compare("ERC-20 allowances", await sampleAllowances(database, parameters), (outcome) => firstWord(outcome)?.toString() ?? null),
    await compare("ERC-721 approvals", await sampleApprovals(database, parameters), (outcome) => {
      const word = firstWord(outcome);
      return word === null ? null : `0x${word.toString(16).padStart(zeroAddress.length - 2, "0")}`;
    }),
    await compare("approvals for all", await sampleOperators(database, parameters), (outcome) => {
      const word = firstWord(outcome);
      return word === null ? null : String(word !== 0n);
    }),
  ];
}

const encodeWord = (value: Address | bigint): string => (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");

/** Samples the entire table deterministically: the first rows, ordered by a hash of their keys. Scans the table once. */
const sampleAllowances = async (database: Queryable, parameters: readonly number[]): Promise<SampledApproval[]> => {
  const rows = await database.query<{ owner: Address; token: Address; spender: Address; amount: string; is_doubtful: boolean }>(
    `SELECT a.owner, a.token, a.spender, a.amount, r.owner IS NOT NULL AND b.number IS NULL AS is_doubtful
     FROM (SELECT * FROM allowances WHERE chain_id = $1 AND since_block <= $2 ORDER BY md5(owner || token || spender) LIMIT $3) a
     LEFT JOIN allowance_reads r ON r.chain_id = $1 AND r.owner = a.owner AND r.token = a.token
     LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = r.read_at_block AND b.hash = r.read_at_hash`,
    parameters,
  );
  return rows.map(({ amount, is_doubtful, ...allowance }) => ({
    token: allowance.token,
    subject: `${allowance.token} of ${allowance.owner} for ${allowance.spender}`,
    index: is_doubtful ? null : amount,
    data: allowanceCall(allowance).data,
  }));
};

const sampleApprovals = async (database: Queryable, parameters: readonly number[]): Promise<SampledApproval[]> => {
  const rows = await database.query<{ token: Address; token_id: string; spender: Address | null }>(
    `SELECT a.token, a.token_id, CASE WHEN a.since_block <= $2 THEN a.spender ELSE p.spender END AS spender
     FROM (SELECT * FROM nft_approvals WHERE chain_id = $1 ORDER BY md5(token || int8send((token_id % 1000000007)::int8)) LIMIT $3) a
     LEFT JOIN LATERAL (
       SELECT spender, from_block FROM nft_approval_periods h WHERE h.chain_id = $1 AND h.token = a.token AND h.token_id = a.token_id AND h.from_block <= $2
       ORDER BY h.from_block DESC LIMIT 1) p ON a.since_block > $2
     WHERE a.since_block <= $2 OR p.from_block IS NOT NULL`,
    parameters,
  );
  return rows.map(({ token, token_id, spender }) => ({
    token,
    subject: `${token} ${token_id}`,
    index: spender ?? zeroAddress,
    // EIP-721 getApproved(uint256).
    data: `0x081812fc${encodeWord(BigInt(token_id))}`,
  }));
};

const sampleOperators = async (database: Queryable, parameters: readonly number[]): Promise<SampledApproval[]> => {
  const rows = await database.query<{ token: Address; owner: Address; operator: Address; approved: boolean }>(
    `SELECT a.token, a.owner, a.operator, CASE WHEN a.since_block <= $2 THEN a.approved ELSE p.approved END AS approved
     FROM (SELECT * FROM nft_operators WHERE chain_id = $1 ORDER BY md5(owner || token || operator) LIMIT $3) a
     LEFT JOIN LATERAL (
       SELECT approved, from_block FROM nft_operator_periods h
       WHERE h.chain_id = $1 AND h.owner = a.owner AND h.token = a.token AND h.operator = a.operator AND h.from_block <= $2
       ORDER BY h.from_block DESC LIMIT 1) p ON a.since_block > $2
     WHERE a.since_block <= $2 OR p.from_block IS NOT NULL`,
    parameters,
  );
  return rows.map(({ token, owner, operator, approved }) => ({
    token,
    subject: `${token} of ${owner} for ${operator}`,
    index: String(approved),
    // isApprovedForAll(address,address) of EIP-721 and EIP-1155.
    data: `0xe985e9c5${encodeWord(owner)}${encodeWord(operator)}`,
  }));
};
