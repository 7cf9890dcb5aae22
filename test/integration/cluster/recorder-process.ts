import process from "node:process";
import { createChannel } from "../../../runtime/cluster/channel.ts";

const lines: string[] = [];

/** The functions in a process that records the lines it receives. */
export type Recorder = {
  readonly record: (line: string) => void;
  readonly recorded: (_: null) => readonly string[];
};

createChannel(process, {
  record: (line: string) => void lines.push(line),
  recorded: () => lines,
});
