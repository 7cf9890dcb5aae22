import { startDemo } from "../../../demo/start-demo.ts";
import { shortScale, storyEndTime } from "../../support/story.ts";

/** A separate process for tests that kill it: starts a short demo, mines blocks that are not saved, and reports them. */
const [dataDirectory, contractsDirectory, blocks = "1"] = process.argv.slice(2);
if (dataDirectory === undefined || contractsDirectory === undefined)
  throw new Error("Expected two arguments: the data directory and the contracts directory");
const demo = await startDemo({ dataDirectory, contractsDirectory, scale: shortScale, endTime: storyEndTime });
for (let count = 0; count < Number(blocks); count++) await demo.mineLiveBlock();
process.stdout.write(`${JSON.stringify({ processId: demo.processId, rpcUrl: demo.rpcUrl, saved: demo.identity().lastBlock })}\n`);
setInterval(() => undefined, 60_000);
