import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { loadRules } from "../domains/tokens/classification/load-rules.ts";
import { renderRules } from "../domains/tokens/classification/render-rules.ts";

/** `ashlar rules`: prints the rules of classification in force, as a file that can be changed and used. @throws where the configured file cannot be used. */
export const printRules = (config: Config): void => void stdout.write(renderRules(loadRules(config.rulesFile)));
