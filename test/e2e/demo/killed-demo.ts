import { startDemo } from "../../../demo/start-demo.ts";

/** A process of its own for tests that kill it: starts a short demo, makes blocks that are not saved, and says so. */
const [dataDirectory, contractsDirectory, blocks = "1"] = process.argv.slice(2);
if (dataDirectory === undefined || contractsDirectory === undefined) throw new Error("Two folders are wanted.");
const demo = await startDemo({ dataDirectory, contractsDirectory, scale: 0.02, endTime: 1_761_912_000 });
for (let count = 0; count < Number(blocks); count++) await demo.liveOneBlock();
process.stdout.write(`${JSON.stringify({ processId: demo.processId, rpcUrl: demo.rpcUrl, saved: demo.identity().lastBlock })}\n`);
setInterval(() => undefined, 60_000);
