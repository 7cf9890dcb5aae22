import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaffoldFiles } from "../../../../runtime/commands/community/scaffold.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain } from "../../../support/chain.ts";
import { contracts } from "./contracts.ts";
import type { Market } from "./vault-market.ts";

/** An operator's directory with the scaffold's protocol. */
export interface SavingsDirectory {
  readonly path: string;
  /** Replaces text in a protocol file. @throws {Error} if the file does not contain it. */
  edit(file: string, text: string, replacement: string): void;
  /** Writes a protocol file. */
  write(file: string, text: string): void;
  /** Writes the scaffold again. */
  reset(): void;
  remove(): void;
}

/** Creates the directory, with the protocol `savings` for the given vaults on the chain `test`. */
export const createSavingsDirectory = (vaults: readonly Address[]): SavingsDirectory => {
  const path = mkdtempSync(join(tmpdir(), "ashlar-endpoints-"));
  const files = scaffoldFiles({ id: "savings", chain: "test", contracts: vaults });
  const write = (name: string, text: string): void => writeFileSync(join(path, "savings", name), text);
  const reset = (): void => {
    for (const [name, text] of Object.entries(files)) write(name, text);
  };
  mkdirSync(join(path, "savings"));
  reset();
  return {
    path,
    write,
    reset,
    edit: (file, text, replacement) => {
      const content = files[file] ?? "";
      if (!content.includes(text)) throw new Error(`${file} does not contain ${text}.`);
      write(file, content.replace(text, replacement));
    },
    remove: () => rmSync(path, { recursive: true }),
  };
};

/** Deposits three amounts for each of two accounts into each vault. */
export const makeDeposits = async (chain: TestChain, { vaults }: Market): Promise<void> => {
  for (const assets of [1_000_003n, 70_001n, 5n]) {
    for (const owner of chain.accounts.slice(0, 2) as Address[]) {
      for (const vault of vaults) await chain.send({ from: owner, ...encodeCall(contracts("Vault"), vault, "deposit", [assets, owner]) });
    }
    await chain.mine();
  }
};
