import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadline } from "../../support/deadline.ts";
import type { AttackName } from "./attacker.ts";
import { type AttackedServer, type Figures, startAttackedServer } from "./under-attack.ts";

const milliseconds = 4_000;
/**
 * The limits on a quiet machine of the reference's speed. `deadline` scales them to the speed of this machine, and other tests run beside these: two on each core, so
 * that all processes get at least a quarter of the time.
 */
const quiet = { balances: 250, health: 50, loop: 50 } as const;
const share = 4;
const limitOf = (name: keyof typeof quiet): number => deadline(quiet[name] * share);
const maxMegabytes = 512;

let server: AttackedServer;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server?.stop());

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** The figures of a run in one line, for notes. */
function print(name: string, { balances, health, server: loop, control, outcomes }: Figures): void {
  const figures = {
    balances: [balances.p50, balances.p99].map(rounded),
    health: [health.p50, health.p99].map(rounded),
    requests: [balances.count, health.count],
    loop: [loop.p50, loop.p99, loop.p9999, loop.max].map(rounded),
    control: [control.p99, control.p9999, control.max].map(rounded),
    peakMegabytes: loop.peakMegabytes,
    outcomes,
  };
  process.stdout.write(`hostile ${name}: ${JSON.stringify(figures)}\n`);
}

const attacks: readonly (readonly [string, AttackName | null])[] = [
  ["no attack", null],
  ["200 connections for the largest responses", "requestLargest"],
  ["500 slow readers", "readSlowly"],
  ["aborted requests", "abortRequests"],
  ["2,000 parameter names", "sendParameters"],
  ["deep pages", "requestDeepPages"],
  ["100 hostile names", "requestHostileNames"],
  ["floods without a key", "floodWithoutKey"],
];

describe("a server with one process and default settings", () => {
  it.each(attacks)("serves another key during %s", async (name, attack) => {
    const figures = await server.measure(attack, milliseconds);
    print(name, figures);
    const { balances, health, server: loop, control, outcomes } = figures;
    expect([balances.failures, health.failures]).toEqual([[], []]);
    expect(balances.p99).toBeLessThan(limitOf("balances"));
    expect(health.p99).toBeLessThan(limitOf("health"));
    expect(loop.p9999 - control.p9999).toBeLessThan(limitOf("loop"));
    expect(loop.peakMegabytes).toBeLessThan(maxMegabytes);
    // Requests of the attacker fail only with the documented statuses.
    expect(outcomes).not.toHaveProperty("500");
    expect(server.output()).not.toMatch(/"level":(?:50|60)/);
  });
});
