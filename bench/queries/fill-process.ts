import { createDatabase } from "../../runtime/database/database.ts";
import { createEventDecoder } from "../../runtime/events/decode-events.ts";
import { describeChain, fillTables } from "../support/fill.ts";
import { answer, argumentOf } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { type StorySize, tellBlocks } from "./story.ts";

interface Argument extends StorySize {
  readonly databaseUrl: string;
  readonly chainId: number;
}

const { databaseUrl, chainId, ...size } = argumentOf<Argument>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
await withoutIndexes(database, async () => {
  const last = await fillTables(database, decoded(), { chainId, projections, nativeAccounting: "traces", blocksAtOnce: 400 });
  if (last !== undefined) await describeChain(database, chainId, last);
  await database.query(
    `INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
     SELECT chain_id, address, block_number, 'Bench Token', 'BENCH', 18, block_number FROM token_standards WHERE chain_id = $1`,
    [chainId],
  );
});
await database.query("VACUUM ANALYZE");
await database.close();
answer({});

function* decoded() {
  const decode = createEventDecoder(projections.flatMap(({ events }) => events));
  for (const block of tellBlocks(size)) yield decode(block);
}
