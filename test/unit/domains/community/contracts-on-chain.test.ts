import { expect, test } from "vitest";
import { fixedContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { factory, otherVault, vault, vaults } from "./vaults.ts";

test("fixed contracts are those of the declaration and of the configuration; a declared contract keeps its deployment block", () => {
  const contracts = fixedContracts(vaults, { name: "test", community: { vaults: { factory: [factory, otherVault], vault: [vault] } } });
  expect([...contracts]).toEqual([
    [
      "factory",
      new Map([
        [factory, 3],
        [otherVault, null],
      ]),
    ],
    ["vault", new Map([[vault, null]])],
  ]);
});
