import { type OpenLoop, runOpenLoop } from "./open-loop.ts";

// A process that runs loads one after the other. It is separate so that neither the server nor the test delays them.
process.on("message", (load: OpenLoop) => {
  void runOpenLoop(load).then((result) => process.send?.(result));
});
