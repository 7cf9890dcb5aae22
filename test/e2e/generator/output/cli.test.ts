import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../../support/generator/model/catalogs.ts";
import { withCatalog, writeTextFile } from "../../../support/generator/output/folders.ts";

interface RunResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function run(...args: readonly string[]): Promise<RunResult> {
  const child = spawn(process.execPath, ["--import", "tsx", "generator/cli.ts", ...args], { cwd: repository });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, errors }));
  });
}

describe("the generator's command line", () => {
  it("prints help", async () => {
    const { code, output } = await run("--help");
    expect(code).toBe(0);
    expect(output).toContain("--check");
    expect(output).toContain("Exit codes: 0");
  });

  it("exits with 2 on invalid usage", async () => {
    expect(await run("--chek")).toMatchObject({ code: 2, errors: expect.stringContaining("--chek") });
    expect(await run("--check", "--watch")).toMatchObject({ code: 2, errors: expect.stringContaining("mutually exclusive") });
  });

  it("writes and checks files; exits with 1 if they are outdated and with 2 if it must not overwrite one", () =>
    withCatalog(async (root) => {
      expect(await run("--root", root, "--check")).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/^generated\/routes\.gen\.ts: missing$[\s\S]*^Outdated: 20 files; run "npm run generate"\.\n$/m),
      });
      expect(await run("--root", root, "--no-stubs")).toMatchObject({
        code: 0,
        output: expect.stringContaining("wrote generated/routes.gen.ts"),
      });
      expect(await run("--root", root, "--check")).toMatchObject({ code: 0, errors: "" });
      await writeTextFile(root, "generated/routes.gen.ts", "mine");
      expect(await run("--root", root, "--no-stubs")).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/^Cannot overwrite generated\/routes\.gen\.ts: expected the header/),
      });
      await rm(join(root, "generated/routes.gen.ts"));
      await mkdir(join(root, "generated/routes.gen.ts"));
      expect(await run("--root", root, "--no-stubs")).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/^Cannot write \S*generated\/routes\.gen\.ts: expected a file, found a folder\. .*\n$/),
      });
      await writeTextFile(root, "spec/service.yaml", "title: [");
      expect(await run("--root", root, "--check")).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/^spec\/service\.yaml:1:\d+ .*\n(?:.*\n)*1 error in the catalog; nothing was written\.\n$/),
      });
      expect(await run("--root", join(root, "nowhere"))).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/^ENOENT: .*nowhere.*\n$/),
      });
    }));
});
