import { describe, expect, it } from "vitest";
import { keepIndexing } from "../../../runtime/commands/keep-indexing.ts";

const wait = { base: 1, max: 3 };

describe("indexing that fails", () => {
  it("is restarted with backoff until it succeeds", async () => {
    const waits: (number | null)[] = [];
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs <= 4) throw new Error("boom");
    };
    const onFailure = async (_: unknown, milliseconds: number | null) => void waits.push(milliseconds);
    await keepIndexing({ run, onFailure, isFinal: () => false, wait }, new AbortController().signal);
    expect(waits).toEqual([1, 2, 3, 3]);
  });

  it("ends with a final failure", async () => {
    const waits: (number | null)[] = [];
    const run = () => Promise.reject(new Error("final"));
    const onFailure = async (_: unknown, milliseconds: number | null) => void waits.push(milliseconds);
    await expect(keepIndexing({ run, onFailure, isFinal: () => true, wait }, new AbortController().signal)).rejects.toThrow("final");
    expect(waits).toEqual([null]);
  });

  it("is not reported when the process stops", async () => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
      return Promise.reject(new Error("interrupted"));
    };
    await keepIndexing({ run, onFailure: () => expect.fail("reported"), isFinal: () => false, wait }, stop.signal);
  });
});
