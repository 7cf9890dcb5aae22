import type { DecodedBlock } from "../../events/decoded-block.ts";
import { batchMetadataUpdate, metadataUpdate, uriChanged } from "../../events/metadata-updates.ts";
import { type ChainFacts, defineProjection, type FoldInput, type Row } from "../../indexer/projection.ts";
import { createKeySet } from "../../indexer/state/state.ts";
import type { Address } from "../../lib/hex.ts";
import { tokensProjection } from "../tokens/projection/index.ts";
import { type TokenMovement, tokenMovements } from "../tokens/projection/movements.ts";
import { standards } from "../tokens/projection/standards.ts";

/**
 * The ids of collections, the first receiver of each, and announced metadata changes, folded from the same movements as tokens. A movement of zero units
 * creates no id, because anybody can send zero units of an ERC-1155 id that was never minted. Neither does a movement from the zero address to itself.
 */
export const nftProjection = defineProjection({
  id: "nft",
  version: 2,
  events: [...tokensProjection.events, metadataUpdate, batchMetadataUpdate, uriChanged],
  tables: [
    {
      kind: "append",
      name: "nft_tokens",
      columns: { token: "bytea", token_id: "numeric", standard: "int2", block_number: "int8", original_owner: "bytea" },
    },
    { kind: "append", name: "nft_collection_sizes", columns: { token: "bytea", block_number: "int8", tokens: "int8" } },
    {
      kind: "append",
      name: "nft_metadata_updates",
      columns: { block_number: "int8", log_index: "int4", token: "bytea", from_id: "numeric", to_id: "numeric" },
    },
  ],
  loads: {
    tokens: { table: "nft_tokens", key: { token: "bytea", token_id: "numeric", standard: "int2" }, valueColumns: [] },
    sizes: { table: "nft_collection_sizes", key: { token: "bytea" }, valueColumns: ["tokens"], newestBy: "block_number" },
  },
  keysToLoad: (blocks, chain) => {
    const [tokens, sizes] = [createKeySet(), createKeySet()];
    let previousToken: Address | null = null;
    for (const { token, tokenId, standard } of blocks.flatMap((block) => idMovements(block, chain))) {
      tokens.add(token, tokenId, standard);
      // Movements of one collection are usually adjacent.
      if (previousToken !== token) sizes.add(token);
      previousToken = token;
    }
    return { tokens: tokens.keys, sizes: sizes.keys };
  },
  fold: (blocks, input) => foldIds(blocks, input),
});

/** A movement of at least one unit of an id, to or from an account other than the zero address. */
type IdMovement = TokenMovement & { readonly tokenId: bigint };

const isIdMovement = (movement: TokenMovement): movement is IdMovement =>
  movement.tokenId !== null &&
  movement.amount > 0n &&
  (movement.standard === standards.erc721 || movement.standard === standards.erc1155) &&
  (movement.from !== null || movement.to !== null);

const idMovements = (block: DecodedBlock, chain: ChainFacts): IdMovement[] => tokenMovements(block, chain).filter(isIdMovement);

/** Whether a mint is the first of its id: units of an ERC-1155 id may have been minted before the first block of an index that starts late. */
const isFirstMint = ({ from, standard }: IdMovement, chain: ChainFacts): boolean =>
  from === null && (standard === standards.erc721 || chain.from === 0);

const foldIds = (blocks: readonly DecodedBlock[], { state, chain }: FoldInput): Record<string, Row[]> => {
  const seen = new Set<string>();
  const counts = new Map<Address, number>();
  const tokens: Row[] = [];
  const sizes: Row[] = [];
  /** Whether a movement is the first of its id. */
  const isFirst = ({ token, tokenId, standard }: IdMovement): boolean => {
    const key = `${token}|${tokenId}|${standard}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return state.get("tokens", token, tokenId, standard) === undefined;
  };
  for (const decoded of blocks) {
    const blockNumber = decoded.block.number;
    const grown = new Set<Address>();
    for (const movement of idMovements(decoded, chain)) {
      if (!isFirst(movement)) continue;
      const { token, tokenId, standard, to } = movement;
      tokens.push({
        token,
        token_id: tokenId,
        standard,
        block_number: blockNumber,
        original_owner: isFirstMint(movement, chain) ? to : null,
      });
      counts.set(token, (counts.get(token) ?? Number(state.get("sizes", token)?.tokens ?? 0)) + 1);
      grown.add(token);
    }
    for (const token of grown) sizes.push({ token, block_number: blockNumber, tokens: counts.get(token) ?? 0 });
  }
  return { nft_tokens: tokens, nft_collection_sizes: sizes, nft_metadata_updates: blocks.flatMap(updatesOf) };
};

const updatesOf = ({ block, events }: DecodedBlock): Row[] =>
  events
    .filter((event) => event.kind === "metadataUpdate")
    .map(({ address: token, logIndex, fromId, toId }) => ({
      block_number: block.number,
      log_index: logIndex,
      token,
      from_id: fromId,
      to_id: toId,
    }));
