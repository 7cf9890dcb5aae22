import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { type CsvColumn, type Operation, operations } from "../../generated/operations.gen.ts";
import { type ValidatedOperation, validators } from "../../generated/validators.gen.js";
import { useApp } from "../support/app.ts";
import { demoOperations } from "../support/contract/demo-operations.ts";
import { exampleOf, targetOf } from "../support/contract/examples.ts";
import { parseCsv } from "../support/csv.ts";
import { type Document, readDocument } from "../support/document.ts";
import { createOpenApiValidator, type OpenApiValidator } from "../support/openapi-validator.ts";
import { scaleTimeLimit } from "../support/scale-time-limit.ts";
import { type CalledResponse, createCaller } from "./caller.ts";

type Row = Readonly<Record<string, unknown>>;

interface ItemRow {
  readonly parent: Row;
  readonly row: Row;
}

const app = await useApp();
const call = createCaller(app.url, app.key);
const pooled = app.pooledUrl === null ? null : createCaller(app.pooledUrl, app.key);

let document: Document;
let openApi: OpenApiValidator;

beforeAll(async () => {
  document = await readDocument();
  openApi = await createOpenApiValidator(document);
});

afterAll(() => openApi?.close());

/** The target of the documented example, with some values replaced. */
function documentedTarget(operation: Operation, values: Readonly<Record<string, string>> = {}): string {
  return targetOf(operation, { ...exampleOf(operation, app.storyValues), ...values });
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`Unknown operation ${id}.`);
  return found;
}

/** Columns that may differ between two requests: the response time, and when the node's head was last read. */
const timeDependentColumns: ReadonlySet<string> = new Set(["update_at", "node_seen_at"]);

/** JSON without time-dependent values. */
const comparableText = (text: string | undefined): string | undefined =>
  text?.replaceAll(/"(update_at|node_seen_at)":("[^"]*"|\d+)/g, '"$1":null');

/** The items that become CSV rows and are billed, each with its parent. */
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

/** The CSV cell of a value: empty for null; text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe. */
function cellOf({ kind, path, from }: CsvColumn, { parent, row }: ItemRow): string {
  const value = valueAt(from === "row" ? row : parent, path);
  if (value === null) return "";
  if (kind === "json") return JSON.stringify(value);
  const text = String(value);
  return kind === "text" && /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

async function expectFailure({ path }: Operation, response: CalledResponse, status: number, message: RegExp): Promise<void> {
  expect(response.status, response.text).toBe(status);
  expect(await openApi.response(path, response), response.text).toBeNull();
  expect(response.body).toEqual({ data: null, error: true, error_code: status, error_message: expect.stringMatching(message) });
  // The response must not contain file names, SQL or keys.
  expect(response.text).not.toMatch(/node_modules|\.[jt]s\b|\bselect\b.*\bfrom\b|ckey_[0-9a-f]/i);
}

describe.each(demoOperations)("live operation $id", (operation) => {
  it("returns a documented response for its example", async () => {
    const target = documentedTarget(operation);
    expect(await openApi.request(target)).toEqual({ accepted: true, operation: operation.id });
    const response = await call(target);
    expect(response.status, response.text).toBe(200);
    expect(await openApi.response(operation.path, response)).toBeNull();
    const validate = validators[operation.id as ValidatedOperation];
    expect(validate(response.body), JSON.stringify(validate.errors)).toBe(true);
    const items = rowsOf(operation, response.body).length;
    expect(items, "an example without items").toBeGreaterThan(0);
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(response.headers.get("x-credits")).toMatch(/^\d+(?:\.\d{1,2})?$/);
    const { cost } = operation;
    const credits = Number(response.headers.get("x-credits"));
    if (cost?.per === "call") expect(credits).toBe(cost.hundredths / 100);
    if (cost?.per === "item") expect(credits).toBe(Math.max(1, cost.hundredths * items) / 100);
  });

  it.skipIf(pooled === null)("returns the same response through pgbouncer in transaction mode", async () => {
    const target = documentedTarget(operation);
    // A job may change the content between the two requests.
    await vi.waitFor(
      async () => {
        const [direct, throughPooler] = await Promise.all([call(target), pooled?.(target)]);
        // Links contain the server's address.
        expect(comparableText(throughPooler?.text.replaceAll(String(app.pooledUrl), app.url))).toBe(comparableText(direct.text));
        expect(throughPooler?.headers.get("x-credits")).toBe(direct.headers.get("x-credits"));
      },
      { timeout: scaleTimeLimit(10_000), interval: 500 },
    );
  });

  it("returns the same rows in CSV", async () => {
    const json = await call(documentedTarget(operation));
    const csv = await call(documentedTarget(operation, { format: "csv" }));
    expect(csv.status, csv.text).toBe(200);
    expect(csv.contentType).toMatch(/^text\/csv\b/);
    const [header, ...records] = parseCsv(csv.text);
    expect(header).toEqual(operation.csv.map((column) => column.header));
    const rows = rowsOf(operation, json.body);
    expect(records.length).toBe(rows.length);
    const comparable = (cells: readonly string[]) => cells.filter((_, position) => !timeDependentColumns.has(header?.[position] ?? ""));
    expect(records.map(comparable)).toEqual(rows.map((row) => comparable(operation.csv.map((column) => cellOf(column, row)))));
    expect(csv.headers.get("x-credits")).toBe(json.headers.get("x-credits"));
  });

  it("returns 401 without a key and for an unknown key", async () => {
    const target = documentedTarget(operation);
    const unknown = { headers: { authorization: `Bearer ckey_${"0".repeat(27)}` } };
    await expectFailure(operation, await call(target, unknown), 401, /key/i);
    await expectFailure(operation, await call(target, { headers: {} }), 401, /key/i);
  });

  it("returns 400 for an invalid parameter, with its name, its value and the accepted values", async () => {
    const target = documentedTarget(operation, { format: "0x10" });
    await expectFailure(operation, await call(target), 400, /0x10.*format.*json.*csv/);
  });

  it("returns 405 for other methods", async () => {
    const target = documentedTarget(operation);
    const response = await call(target, { method: "POST", headers: { authorization: `Bearer ${app.key}` } });
    await expectFailure(operation, response, 405, /POST/);
    expect(response.headers.get("allow")).toMatch(/GET/);
  });

  it("is not marked as planned", () => {
    expect(document.paths[operation.path]?.get).not.toHaveProperty("x-status", "planned");
  });
});

describe("the server", () => {
  const unknownHash = `0x${"ab".repeat(32)}`;
  const entities: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["getTransaction", { txHash: unknownHash }],
    ["getBlock", { blockHeight: "4000000000" }],
    ["getTransactionsForBlock", { blockHeight: "4000000000" }],
    ["getTransactionsForBlockByPage", { blockHeight: "4000000000" }],
    ["getTransactionsForBlockHash", { blockHash: unknownHash }],
    ["getTransactionsForBlockHashByPage", { blockHash: unknownHash }],
  ];

  it.each(entities)("returns 404 from %s for an unknown entity", async (id, values) => {
    const operation = operationOf(id);
    await expectFailure(operation, await call(documentedTarget(operation, values)), 404, /\w+/);
  });

  it("returns 404 in the envelope for an unknown path", async () => {
    const response = await call("/v1/demo/address/0x0/no_such_path/");
    // The document does not describe this path; the error envelope is the same for all operations.
    await expectFailure(operationOf("getBlock"), response, 404, /\w+/);
  });

  it.each(["getErc20TransfersForWalletAddress", "getTransactionsForAddress", "getLogEventsByAddress"])(
    "returns an empty list from %s for an address without activity",
    async (id) => {
      const operation = operationOf(id);
      const unusedAddress = "0x00000000000000000000000000000000000a51a2";
      const parameter = operation.path.includes("{walletAddress}") ? { walletAddress: unusedAddress } : { contractAddress: unusedAddress };
      const target = targetOf(operation, { chainName: "demo", ...parameter });
      const response = await call(target);
      expect(response.status, response.text).toBe(200);
      expect(await openApi.response(operation.path, response)).toBeNull();
      expect(rowsOf(operation, response.body)).toEqual([]);
    },
  );
});

test("the document describes every operation, of which 97 are tested on the demo chain", () => {
  const inDocument = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  expect(new Set(inDocument)).toEqual(new Set(operations.map(({ id }) => id)));
  expect(demoOperations.length).toBe(97);
});
