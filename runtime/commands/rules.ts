import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { loadRules } from "../domains/tokens/classification/load-rules.ts";
import { renderRules } from "../domains/tokens/classification/render-rules.ts";

/** `ashlar rules`: prints the current classification rules in the format of rulesFile. @throws {Error} if the configured file is invalid. */
export const printRules = (config: Config): void => void stdout.write(renderRules(loadRules(config.rulesFile)));
