import type { Database } from "../../runtime/database/database.ts";
import { parseDocument } from "../../runtime/domains/nft-metadata/jobs/fetch/documents/parse-document.ts";
import {
  attributeColumns,
  attributeRows,
  attributeTypes,
  type MetadataOutcome,
  metadataRows,
  metadataTarget,
} from "../../runtime/domains/nft-metadata/jobs/fetch/outcome-rows.ts";
import { standards } from "../../runtime/domains/tokens/projection/standards.ts";
import { createEventDecoder } from "../../runtime/events/event-decoder.ts";
import { fillTables, writeChain, writeTokenMetadata } from "../support/fill.ts";
import { projections } from "../support/projections.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { documentsOf, type TokenDocument } from "./documents.ts";
import { type NftMarketSize, nftMarketOf } from "./nft-market.ts";
import { generateBlocks } from "./story.ts";

/** The id of the generated index's only chain. */
export const chainId = 1;

const blocksPerBatch = 1_000;
const documentsPerBatch = 1_000;

/**
 * Fills an empty database with a generated market: the blocks with Ashlar's decoder and folds, and the documents with its parser
 * and row format. Triggers of the tables compute the sums.
 */
export async function fillIndex(database: Database, size: NftMarketSize): Promise<void> {
  const nftMarket = nftMarketOf(size);
  let head = 0;
  await withoutIndexes(database, async () => {
    const decode = createEventDecoder(projections.flatMap(({ events }) => events));
    const decoded = function* () {
      for (const block of generateBlocks(size)) yield decode(block);
    };
    const last = await fillTables(database, decoded(), {
      chainId,
      projections,
      nativeAccounting: "none",
      blocksPerBatch,
      wrappedNative: [nftMarket.wrapped],
    });
    if (last !== undefined) await writeChain(database, chainId, last);
    head = last?.number ?? 0;
    await writeTokenMetadata(database, chainId);
  });
  let portion: MetadataOutcome[] = [];
  for (const document of documentsOf(nftMarket, size.tokens)) {
    portion.push(outcomeOf(document, head));
    if (portion.length < documentsPerBatch) continue;
    await storeDocuments(database, portion);
    portion = [];
  }
  await storeDocuments(database, portion);
  await database.query("VACUUM ANALYZE");
}

/** Stores documents. The indexes must exist, because the triggers that count traits need them. */
const storeDocuments = (database: Database, outcomes: readonly MetadataOutcome[]): Promise<void> =>
  database.transaction(async (client) => {
    const { table, columns, types } = metadataTarget;
    await client.copy(table, columns, metadataRows(chainId, new Date(), outcomes), types);
    await client.copy("nft_attributes", attributeColumns, attributeRows(chainId, outcomes), attributeTypes);
  });

const outcomeOf = ({ token, id, standard, url, text }: TokenDocument, head: number): MetadataOutcome => {
  const parsed = parseDocument(text);
  if (!parsed.ok) throw new Error(`The generated document of token ${id} of ${token} was refused: ${parsed.refusal}`);
  const claim = { token, token_id: String(id), standard: standards[standard], block_number: 0, attempts: 1, url, asked_at: head };
  return { claim, readAtBlock: head, tokenUrl: url, result: { document: parsed.document } };
};
