import { describe, expect, it } from "vitest";
import { type Invocation, renderCreateKeyCommand } from "../../../runtime/commands/render-create-key-command.ts";

const invocation = (overrides: Partial<Invocation>): Invocation => ({
  program: "/clone/bin/ashlar.js",
  folder: "/clone",
  environment: { PATH: "/usr/bin" },
  platform: "linux",
  ...overrides,
});

describe("the command that creates a key", () => {
  it("names the program by its path relative to the folder, or by its absolute path", () => {
    expect(renderCreateKeyCommand(undefined, invocation({}))).toBe("node bin/ashlar.js keys create --label my-key");
    expect(renderCreateKeyCommand(undefined, invocation({ folder: "/home/me" }))).toBe(
      "node /clone/bin/ashlar.js keys create --label my-key",
    );
  });

  it("starts with the installed program's name if it is on the PATH", () => {
    const installed = { program: "/opt/bin/ashlar", folder: "/home/me", environment: { PATH: "/usr/bin:/opt/bin" } };
    expect(renderCreateKeyCommand(undefined, invocation(installed))).toBe("ashlar keys create --label my-key");
    // npm adds folders to the PATH that a user's shell does not have.
    const inNpm = { ...installed, environment: { ...installed.environment, npm_command: "exec" } };
    expect(renderCreateKeyCommand(undefined, invocation(inNpm))).toBe("node /opt/bin/ashlar keys create --label my-key");
  });

  it("changes to the package's folder if npm was called in a different one", () => {
    const environment = { PATH: "/usr/bin", npm_command: "start", INIT_CWD: "/home/me" };
    expect(renderCreateKeyCommand(undefined, invocation({ environment }))).toBe(
      "cd /clone && node bin/ashlar.js keys create --label my-key",
    );
    expect(renderCreateKeyCommand(undefined, invocation({ environment: { ...environment, INIT_CWD: "/clone" } }))).toBe(
      "node bin/ashlar.js keys create --label my-key",
    );
  });

  it("contains the running service's configuration and data directory, quoted for a shell, but no secret", () => {
    const environment = { PATH: "/usr/bin", ASHLAR_DATA_DIR: "/my data/it's", DATABASE_URL: "" };
    expect(renderCreateKeyCommand("my conf.yaml", invocation({ environment }))).toBe(
      `ASHLAR_DATA_DIR='/my data/it'\\''s' node bin/ashlar.js keys create --label my-key --config 'my conf.yaml'`,
    );
    const withUrl = renderCreateKeyCommand(undefined, invocation({ environment: { DATABASE_URL: "postgresql://user:secret@host/name" } }));
    expect(withUrl).toBe("node bin/ashlar.js keys create --label my-key\n                 with the same DATABASE_URL as this process");
  });

  it("has the syntax of cmd.exe on Windows", () => {
    const environment = { PATH: "", ASHLAR_DATA_DIR: "D:\\data" };
    expect(renderCreateKeyCommand("my conf.yaml", invocation({ environment, platform: "win32" }))).toBe(
      'node bin/ashlar.js keys create --label my-key --config "my conf.yaml"\n                 with the same ASHLAR_DATA_DIR as this process',
    );
  });
});
