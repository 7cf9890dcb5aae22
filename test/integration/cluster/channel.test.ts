import { fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createChannel } from "../../../runtime/cluster/channel.ts";
import type { Recorder } from "./recorder-process.ts";

describe("a channel", () => {
  it("delivers calls and posts in the order they were made", async () => {
    const child = fork(fileURLToPath(new URL("./recorder-process.ts", import.meta.url)), {
      execArgv: ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx/esm")).href],
    });
    const channel = createChannel<Recorder>(child, {});
    const first = channel.call("record", "call 1");
    channel.post("record", "post 2");
    const third = channel.call("record", "call 3");
    await Promise.all([first, third]);
    channel.post("record", "post 4");
    expect(await channel.call("recorded", null)).toEqual(["call 1", "post 2", "call 3", "post 4"]);
    child.kill("SIGKILL");
    await once(child, "exit");
  });
});
