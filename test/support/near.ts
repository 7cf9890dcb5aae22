import { expect } from "vitest";

/** That a number is another one but for the rounding of a few steps of floating-point arithmetic. */
export function expectNear(actual: number | null | undefined, expected: number, what = ""): void {
  const apart = actual === expected ? 0 : Math.abs((actual ?? Number.NaN) / expected - 1);
  expect(apart, `${what} ${actual} for ${expected}`).toBeLessThan(1e-12);
}
