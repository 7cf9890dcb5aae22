import { describe, expect, it } from "vitest";
import { compileContracts } from "../../../demo/contracts/compile.ts";
import { readCompiled } from "../../../demo/contracts/compiled.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

describe("the demo's committed contracts", () => {
  it("match the compiled sources (npm run compile-contracts updates them)", { timeout: scaleTimeLimit(120_000) }, () => {
    const compiled = compileContracts();
    const committed = readCompiled();
    expect(Object.keys(compiled)).toContain("SavingsVault");
    for (const [name, artifact] of Object.entries(compiled)) expect(committed(name), name).toEqual(artifact);
  });
});
