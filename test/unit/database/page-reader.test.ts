import { describe, expect, it, test } from "vitest";
import { createPageReader, type LocatedList } from "../../../runtime/database/page-reader.ts";
import type { Hash } from "../../../runtime/lib/hex.ts";

const [first, second] = ["11", "22"].map((byte): Hash => `0x${byte.repeat(32)}`);
const pageSize = 10;

/** A list with its keys as rows, and the statements that read it. */
function createList(id: string, rows: readonly string[], branch: Hash | null = first ?? null) {
  const list = {
    rows,
    branch,
    located: [] as { readonly from: string | null; readonly count: number }[],
    /** How many rows each page skipped. */
    skipped: [] as number[],
    /** Called before the rows of a page are read. */
    beforeRead: () => undefined as undefined | Promise<void>,
  };
  const after = (key: string | null) => (key === null ? list.rows : list.rows.slice(list.rows.indexOf(key)));
  const request: LocatedList<string, string> = {
    id,
    locate: async (from, spacing, count) => {
      list.located.push({ from, count });
      const keys = after(from).filter((_, number) => number % spacing === 0);
      return { branch: list.branch, keys: keys.slice(0, count) };
    },
    read: async (start, offset) => {
      await list.beforeRead();
      list.skipped.push(offset);
      if (start !== null && start.branch !== list.branch) return [];
      return after(start?.key ?? null).slice(offset, offset + pageSize);
    },
  };
  return { list, request };
}

const rowsOf = (count: number, name = "row"): string[] => Array.from({ length: count }, (_, number) => `${name} ${number}`);

describe("a page of a long list", () => {
  it("skips fewer rows than the key spacing, and locates each key once", async () => {
    const { list, request } = createList("a", rowsOf(1_000));
    const read = createPageReader<string>({ spacing: 100 });
    for (let offset = 0; offset < 1_000; offset += pageSize)
      expect(await read(request, offset)).toEqual(list.rows.slice(offset, offset + pageSize));
    expect(Math.max(...list.skipped)).toBe(90);
    // The keys of rows 0 and 100, then one more key at a time, from the last known key on; the last is row 900.
    expect(list.located).toEqual([
      { from: null, count: 2 },
      ...Array.from({ length: 8 }, (_, index) => ({ from: `row ${(index + 1) * 100}`, count: 2 })),
    ]);
  });

  it("is found directly; earlier pages are then read without locating keys", async () => {
    const { list, request } = createList("a", rowsOf(30_050));
    const read = createPageReader<string>({ spacing: 100 });
    expect(await read(request, 30_045)).toEqual(list.rows.slice(30_045));
    // 301 keys, at most 100 per statement.
    expect(list.located.map(({ count }) => count)).toEqual([100, 101, 101, 2]);
    for (let offset = 30_000; offset >= 0; offset -= 330)
      expect(await read(request, offset)).toEqual(list.rows.slice(offset, offset + pageSize));
    expect(list.located).toHaveLength(4);
  });

  it("is empty after the end of the list, even if rows follow the last key", async () => {
    const { list, request } = createList("a", rowsOf(250));
    const read = createPageReader<string>({ spacing: 100 });
    expect(await read(request, 5_000)).toEqual([]);
    expect(await read(request, 260)).toEqual([]);
    expect(await read(request, 240)).toEqual(list.rows.slice(240));
  });

  it("is read from the new branch after a reorganisation, even between two statements of a request", async () => {
    const { list, request } = createList("a", rowsOf(500));
    const read = createPageReader<string>({ spacing: 100 });
    expect(await read(request, 400)).toEqual(list.rows.slice(400, 410));
    const reorganise = (branch: Hash | undefined, name: string) => Object.assign(list, { branch, rows: rowsOf(500, name) });
    reorganise(second, "other");
    expect(await read(request, 410)).toEqual(list.rows.slice(410, 420));
    list.beforeRead = () => {
      list.beforeRead = () => undefined;
      reorganise(first, "row");
      return undefined;
    };
    expect(await read(request, 420)).toEqual(rowsOf(500).slice(420, 430));
    // A longer list: keys are located from a key that is no longer valid.
    reorganise(second, "longer");
    list.rows = rowsOf(900, "longer");
    expect(await read(request, 820)).toEqual(list.rows.slice(820, 830));
  });

  it("is read without keys while the last block is not indexed", async () => {
    const { list, request } = createList("a", rowsOf(500), null);
    const read = createPageReader<string>({ spacing: 100 });
    expect(await read(request, 410)).toEqual(list.rows.slice(410, 420));
    expect(list.skipped).toEqual([410]);
  });

  it("is located once for concurrent requests, and by the next request if one fails", async () => {
    const { list, request } = createList("a", rowsOf(500));
    const read = createPageReader<string>({ spacing: 100 });
    const failing = { ...request, locate: () => Promise.reject(new Error("Cancelled")) };
    const [failed, ...pages] = await Promise.allSettled([failing, request, request, request].map((listed) => read(listed, 450)));
    expect(failed).toMatchObject({ status: "rejected", reason: { message: "Cancelled" } });
    expect(pages).toEqual(Array.from({ length: 3 }, () => ({ status: "fulfilled", value: list.rows.slice(450, 460) })));
    expect(list.located).toEqual([{ from: null, count: 5 }]);
  });
});

test("the least recently read list is evicted", async () => {
  const lists = ["a", "b", "c"].map((id) => createList(id, rowsOf(500)));
  // Each list counts as six: five keys and itself.
  const read = createPageReader<string>({ spacing: 100, maxKeys: 12 });
  for (const { request } of lists) await read(request, 450);
  for (const { request } of [...lists].reverse()) await read(request, 450);
  expect(lists.map(({ list }) => list.located.length)).toEqual([2, 1, 1]);
});
