import { spawn } from "node:child_process";
import { once } from "node:events";
import { program } from "./program.ts";

/** A running `ashlar serve` process. */
export interface ServerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `ashlar serve` on a free port with a configuration file. @throws {Error} if it exits before it serves. */
export async function startServer(configFile: string, databaseUrl: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, "serve", "--config", configFile], {
    env: { ...process.env, DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0", ASHLAR_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (part: Buffer) => {
      output += part.toString();
      const found = /is listening at (http:\S+?);/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ashlar serve exited with code ${code}: ${output.slice(-500)}`)));
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
