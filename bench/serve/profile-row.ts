import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type LoadOptions, measureCell } from "./cells.ts";
import { byFunction, byModule, type FunctionShare, sharesOf } from "./cpu-profile.ts";
import { type Programs, startProduct } from "./product.ts";
import type { RowCase } from "./row-case.ts";

const connections = 32;
const milliseconds = 8_000;
const shownModules = 40;
const shownFunctions = 60;

/** Profiles a product process under a row's requests, and returns the shares of modules and functions as lines. */
export async function profileRow(
  programs: Programs,
  databaseUrl: string,
  folder: string,
  rowCase: RowCase,
  load: LoadOptions,
): Promise<string[]> {
  const profileFolder = join(folder, `profile-${rowCase.row}`);
  mkdirSync(profileFolder);
  const nodeOptions = ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const product = await startProduct(programs, databaseUrl, profileFolder, { nodeOptions });
  await measureCell(product, rowCase, Math.min(connections, rowCase.maxConnections ?? connections), { ...load, milliseconds }).finally(() =>
    product.stop(),
  );
  const root = join(folder, "programs");
  const functions = sharesOf(profileFolder, byFunction(root));
  return [
    `\nProfile of row ${rowCase.row} (${rowCase.name}): shares of self and total time by module, by function, and by function and total time`,
    ...sharesOf(profileFolder, byModule(root)).slice(0, shownModules).map(lineOf),
    "",
    ...functions.slice(0, shownFunctions).map(lineOf),
    "",
    ...functions
      .toSorted((left, right) => right.total - left.total)
      .slice(0, shownFunctions)
      .map(lineOf),
  ];
}

const percent = (share: number): string => `${(share * 100).toFixed(1).padStart(5)} %`;
const lineOf = ({ name, self, total }: FunctionShare): string => `${percent(self)} ${percent(total)} ${name}`;
