import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CsvColumn, type Operation, operations } from "../../generated/operations.gen.ts";
import { type ValidatedOperation, validators } from "../../generated/validators.gen.js";
import { useApp } from "../support/app.ts";
import { exampleOf, targetOf } from "../support/contract/examples.ts";
import { parseCsv } from "../support/csv.ts";
import { type Document, readDocument } from "../support/document.ts";
import { createJudge, type Judge } from "../support/judge.ts";
import { type Called, createCaller } from "./caller.ts";

type Row = Readonly<Record<string, unknown>>;

interface ItemRow {
  readonly parent: Row;
  readonly row: Row;
}

const app = await useApp();
const call = createCaller(app.url, app.key);
const live = operations.filter(({ status }) => status === "live");
const planned = operations.filter(({ status }) => status === "planned");

let document: Document;
let judge: Judge;

beforeAll(async () => {
  document = await readDocument();
  judge = await createJudge(document);
});

afterAll(() => judge?.close());

/** The documented example's target, with other values in the place of its own. */
function documentedTarget(operation: Operation, values: Readonly<Record<string, string>> = {}): string {
  return targetOf(operation, { ...exampleOf(operation, app.cast), ...values });
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}.`);
  return found;
}

/** The rows of CSV and the items of the cost, each with its parent. */
function rowsOf({ list, rows }: Operation, body: unknown): readonly ItemRow[] {
  const { data } = body as { readonly data: Row | readonly Row[] };
  const parents = (list ? data : [data]) as readonly Row[];
  return parents.flatMap((parent) =>
    rows === null ? [{ parent, row: parent }] : (parent[rows] as readonly Row[]).map((row) => ({ parent, row })),
  );
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner === null ? null : (inner as Row)[name]), value);
}

/** The cell that a value is in: empty for null, a number as it is, text after an apostrophe where a spreadsheet would take it for a formula. */
function cellOf({ kind, path, from }: CsvColumn, { parent, row }: ItemRow): string {
  const value = valueAt(from === "row" ? row : parent, path);
  if (value === null) return "";
  if (kind === "json") return JSON.stringify(value);
  const text = String(value);
  return kind === "text" && /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

async function expectFailure({ path }: Operation, answer: Called, status: number, message: RegExp): Promise<void> {
  expect(answer.status, answer.text).toBe(status);
  expect(await judge.answer(path, answer), answer.text).toBeNull();
  expect(answer.body).toEqual({ data: null, error: true, error_code: status, error_message: expect.stringMatching(message) });
  // Neither file names, nor SQL, nor keys.
  expect(answer.text).not.toMatch(/node_modules|\.[jt]s\b|\bselect\b.*\bfrom\b|ckey_[0-9a-f]/i);
}

describe.each(live)("$id, which is live", (operation) => {
  it("answers its documented example as documented", async () => {
    const target = documentedTarget(operation);
    expect(await judge.request(target)).toEqual({ accepted: true, operation: operation.id });
    const answer = await call(target);
    expect(answer.status, answer.text).toBe(200);
    expect(await judge.answer(operation.path, answer)).toBeNull();
    const validate = validators[operation.id as ValidatedOperation];
    expect(validate(answer.body), JSON.stringify(validate.errors)).toBe(true);
    const items = rowsOf(operation, answer.body).length;
    expect(items, "an example that shows nothing").toBeGreaterThan(0);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    expect(answer.headers.get("x-credits")).toMatch(/^\d+(?:\.\d{1,2})?$/);
    const { cost } = operation;
    const credits = Number(answer.headers.get("x-credits"));
    if (cost?.per === "call") expect(credits).toBe(cost.hundredths / 100);
    if (cost?.per === "item") expect(credits).toBe(Math.max(1, cost.hundredths * items) / 100);
  });

  it("answers it in CSV with the same rows", async () => {
    const json = await call(documentedTarget(operation));
    const csv = await call(documentedTarget(operation, { format: "csv" }));
    expect(csv.status, csv.text).toBe(200);
    expect(csv.contentType).toMatch(/^text\/csv\b/);
    const [header, ...records] = parseCsv(csv.text);
    expect(header).toEqual(operation.csv.map((column) => column.header));
    const rows = rowsOf(operation, json.body);
    expect(records.length).toBe(rows.length);
    // The time of the answer, which is told of each row where rows carry their parent's fields, is another one in another second.
    const withoutTime = (cells: readonly string[]) => cells.filter((_, position) => header?.[position] !== "update_at");
    expect(records.map(withoutTime)).toEqual(rows.map((row) => withoutTime(operation.csv.map((column) => cellOf(column, row)))));
    expect(csv.headers.get("x-credits")).toBe(json.headers.get("x-credits"));
  });

  it("answers 401 to an unknown key, and without one", async () => {
    const target = documentedTarget(operation);
    const unknown = { headers: { authorization: `Bearer ckey_${"0".repeat(27)}` } };
    await expectFailure(operation, await call(target, unknown), 401, /key/i);
    await expectFailure(operation, await call(target, { headers: {} }), 401, /key/i);
  });

  it("answers 400 to a bad parameter, naming it, what was sent and what is accepted", async () => {
    const target = documentedTarget(operation, { format: "0x10" });
    await expectFailure(operation, await call(target), 400, /0x10.*format.*json.*csv/);
  });

  it("answers 405 to a method that it does not have", async () => {
    const target = documentedTarget(operation);
    const answer = await call(target, { method: "POST", headers: { authorization: `Bearer ${app.key}` } });
    await expectFailure(operation, answer, 405, /POST/);
    expect(answer.headers.get("allow")).toMatch(/GET/);
  });

  it("is not marked as planned", () => {
    expect(document.paths[operation.path]?.get).not.toHaveProperty("x-status", "planned");
  });
});

describe.each(planned)("$id, which is planned", (operation) => {
  it("answers 501 with the envelope, and is marked in the document", async () => {
    const target = documentedTarget(operation);
    expect(await judge.request(target)).toEqual({ accepted: true, operation: operation.id });
    await expectFailure(operation, await call(target), 501, /\w+/);
    expect(document.paths[operation.path]?.get).toHaveProperty("x-status", "planned");
  });
});

describe("what does not exist", () => {
  const unknownHash = `0x${"ab".repeat(32)}`;
  const entities: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["getTransaction", { txHash: unknownHash }],
    ["getBlock", { blockHeight: "4000000000" }],
    ["getTransactionsForBlock", { blockHeight: "4000000000" }],
    ["getTransactionsForBlockByPage", { blockHeight: "4000000000" }],
    ["getTransactionsForBlockHash", { blockHash: unknownHash }],
    ["getTransactionsForBlockHashByPage", { blockHash: unknownHash }],
  ];

  it.each(entities)("is answered with 404 by %s", async (id, values) => {
    const operation = operationOf(id);
    await expectFailure(operation, await call(documentedTarget(operation, values)), 404, /\w+/);
  });

  it("is answered with 404 and the envelope for a path", async () => {
    const answer = await call("/v1/demo/address/0x0/nothing_of_the_kind/");
    // The document has no such path, and one envelope for all.
    await expectFailure(operationOf("getBlock"), answer, 404, /\w+/);
  });

  it.each(["getErc20TransfersForWalletAddress", "getTransactionsForAddress", "getLogEventsByAddress"])(
    "is no error for an address: %s answers with an empty list",
    async (id) => {
      const operation = operationOf(id);
      const nobody = "0x00000000000000000000000000000000000a51a2";
      const named = operation.path.includes("{walletAddress}") ? { walletAddress: nobody } : { contractAddress: nobody };
      const target = targetOf(operation, { chainName: "demo", ...named });
      const answer = await call(target);
      expect(answer.status, answer.text).toBe(200);
      expect(await judge.answer(operation.path, answer)).toBeNull();
      expect(rowsOf(operation, answer.body)).toEqual([]);
    },
  );
});

it("covers every operation of the document", () => {
  const inDocument = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  expect(new Set(inDocument)).toEqual(new Set(operations.map(({ id }) => id)));
  expect(live.length).toBeGreaterThanOrEqual(17);
});
