import { startDemo } from "../../../demo/start-demo.ts";
import { shortScale, storyEndTime } from "../../support/story.ts";

/** A separate process for tests that kill it: starts a short demo, mines blocks that are not saved, and reports its node and the last saved block. */
const [dataDirectory, blockCount = "1"] = process.argv.slice(2);
if (dataDirectory === undefined) throw new Error("Expected an argument: the data directory");
const demo = await startDemo({ dataDirectory, scale: shortScale, endTime: storyEndTime });
for (let mined = 0; mined < Number(blockCount); mined += 1) await demo.mineLiveBlock();
process.stdout.write(`${JSON.stringify({ processId: demo.processId, rpcUrl: demo.rpcUrl, saved: demo.identity().lastBlock })}\n`);
setInterval(() => undefined, 60_000);
