/* The attacker's process: starts an attack at its parent's first message, stops it at the second, and then reports the outcomes. */
import process from "node:process";
import type { Run, Target } from "./attack.ts";
import { abortRequests } from "./attacks/aborted-requests.ts";
import { requestDeepPages } from "./attacks/deep-pages.ts";
import { requestHostileNames } from "./attacks/hostile-names.ts";
import { requestLargest } from "./attacks/largest-responses.ts";
import { sendParameters } from "./attacks/parameters.ts";
import { readSlowly } from "./attacks/slow-readers.ts";
import { floodWithoutKey } from "./attacks/unauthenticated.ts";

/** The attacks by name. */
const attacks = {
  abortRequests,
  floodWithoutKey,
  readSlowly,
  requestDeepPages,
  requestHostileNames,
  requestLargest,
  sendParameters,
} as const;
export type AttackName = keyof typeof attacks;

/** The message that starts an attack. */
export interface Start {
  readonly attack: AttackName;
  readonly target: Target;
}

const start = async ({ attack, target }: Start): Promise<void> => {
  const outcomes: Record<string, number> = {};
  let isRunning = true;
  process.once("message", () => {
    isRunning = false;
  });
  const run: Run = attacks[attack];
  const running = run({
    target,
    isRunning: () => isRunning,
    count: (outcome) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
  });
  await running;
  process.send?.(outcomes, () => process.exit());
};

process.once("message", (message: Start) => void start(message));
