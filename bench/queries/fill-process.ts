import { createDatabase } from "../../runtime/database/database.ts";
import { createEventDecoder } from "../../runtime/events/event-decoder.ts";
import { fillTables, writeChain, writeTokenMetadata } from "../support/fill.ts";
import { readArgument, reportResult } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { generateBlocks, type StorySize } from "./story.ts";

interface Argument extends StorySize {
  readonly databaseUrl: string;
  readonly chainId: number;
}

const { databaseUrl, chainId, ...size } = readArgument<Argument>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
await withoutIndexes(database, async () => {
  const last = await fillTables(database, decoded(), { chainId, projections, nativeAccounting: "traces", blocksPerBatch: 400 });
  if (last !== undefined) await writeChain(database, chainId, last);
  await writeTokenMetadata(database, chainId);
});
await database.query("VACUUM ANALYZE");
await database.close();
reportResult({});

function* decoded() {
  const decode = createEventDecoder(projections.flatMap(({ events }) => events));
  for (const block of generateBlocks(size)) yield decode(block);
}
