import { readFileSync } from "node:fs";
import { roleName } from "./cluster.ts";
import type { EmbeddedPaths } from "./paths.ts";

/** A server's URL: a secret. */
export const urlOf = ({ passwordFile }: EmbeddedPaths, { port }: { readonly port: number }): string =>
  `postgresql://${roleName}:${readFileSync(passwordFile, "utf8")}@127.0.0.1:${port}/${roleName}`;
