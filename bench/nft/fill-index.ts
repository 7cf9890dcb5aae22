import type { Database } from "../../runtime/database/database.ts";
import { parseDocument } from "../../runtime/domains/nft-metadata/jobs/fetch/documents/parse-document.ts";
import {
  attributeColumns,
  attributesOf,
  attributeTypes,
  metadataTarget,
  type Outcome,
  rowsOf,
} from "../../runtime/domains/nft-metadata/jobs/fetch/outcome-rows.ts";
import { standards } from "../../runtime/domains/tokens/projection/standards.ts";
import { createEventDecoder } from "../../runtime/events/decode-events.ts";
import { describeChain, describeTokens, fillTables } from "../support/fill.ts";
import { projections } from "../support/projections.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { type CastSize, castOf } from "./cast.ts";
import { documentsOf, type TokenDocument } from "./documents.ts";
import { tellCollections } from "./story.ts";

/** The generated index has one chain. */
export const chainId = 1;

const blocksAtOnce = 1_000;
const documentsAtOnce = 1_000;

/**
 * Fills an empty database with a year of generated collections: their blocks through the product's decoder and folds, their documents through its parser into
 * the rows that its reader writes, of which the tables' own triggers make the sums.
 */
export async function fillIndex(database: Database, size: CastSize): Promise<void> {
  const cast = castOf(size);
  let head = 0;
  await withoutIndexes(database, async () => {
    const decode = createEventDecoder(projections.flatMap(({ events }) => events));
    const decoded = function* () {
      for (const block of tellCollections(size)) yield decode(block);
    };
    const last = await fillTables(database, decoded(), {
      chainId,
      projections,
      nativeAccounting: "none",
      blocksAtOnce,
      wrappedNative: [cast.wrapped],
    });
    if (last !== undefined) await describeChain(database, chainId, last);
    head = last?.number ?? 0;
    await describeTokens(database, chainId);
  });
  let portion: Outcome[] = [];
  for (const document of documentsOf(cast, size.tokens)) {
    portion.push(outcomeOf(document, head));
    if (portion.length < documentsAtOnce) continue;
    await keep(database, portion);
    portion = [];
  }
  await keep(database, portion);
  await database.query("VACUUM ANALYZE");
}

/** With the indexes there: what counts the traits needs them. */
const keep = (database: Database, outcomes: readonly Outcome[]): Promise<void> =>
  database.transaction(async (client) => {
    const { table, columns, types } = metadataTarget;
    await client.copy(table, columns, rowsOf(chainId, new Date(), outcomes), types);
    await client.copy("nft_attributes", attributeColumns, attributesOf(chainId, outcomes), attributeTypes);
  });

const outcomeOf = ({ token, id, standard, url, text }: TokenDocument, head: number): Outcome => {
  const parsed = parseDocument(text);
  if (!parsed.ok) throw new Error(`A generated document is refused: ${parsed.refusal}`);
  const claim = { token, token_id: String(id), standard: standards[standard], block_number: 0, attempts: 1, url, asked_at: head };
  return { claim, readAt: head, tokenUrl: url, result: { document: parsed.document } };
};
