import { expect } from "vitest";

/** Expects two numbers to be equal except for the rounding errors of a few floating-point operations. */
export function expectNear(actual: number | null | undefined, expected: number, label = ""): void {
  const relativeError = actual === expected ? 0 : Math.abs((actual ?? Number.NaN) / expected - 1);
  expect(relativeError, `${label === "" ? "" : `${label}: `}expected ${expected}, received ${actual}; relative error`).toBeLessThan(1e-12);
}
