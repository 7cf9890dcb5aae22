import { type OpenLoop, runOpenLoop } from "./open-loop.ts";

// A process that runs one load at a time. It is separate so that neither the server nor the test delays the requests.
process.on("message", (load: OpenLoop) => {
  void runOpenLoop(load).then((result) => process.send?.(result));
});
