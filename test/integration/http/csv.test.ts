import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CsvColumn } from "../../../generated/operations.gen.ts";
import { measureCsv, writeCsv } from "../../../runtime/http/csv.ts";
import { renderCell } from "../../../runtime/http/csv-cell.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

const column = (header: string, kind: CsvColumn["kind"], from: CsvColumn["from"] = "row"): CsvColumn => ({
  header,
  path: header.split("."),
  from,
  kind,
});

async function render(csv: readonly CsvColumn[], data: unknown, shape: { list?: boolean; rows?: string | null } = {}): Promise<string> {
  const output = new PassThrough();
  const operation = { csv, list: shape.list ?? false, rows: shape.rows === undefined ? "items" : shape.rows };
  const [csvText] = await Promise.all([text(output), writeCsv(operation, data, output)]);
  return csvText;
}

describe("a cell", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "＋1", "－1", "＠x", '=HYPERLINK("http://x","y")'])(
    "starts with an apostrophe if a spreadsheet would evaluate its text (%j)",
    (value) => {
      expect(renderCell(value, "text")).toBe(`'${value}`);
    },
  );

  it("contains other text unchanged", () => {
    for (const value of ["USD Coin", "a=b", "1-2", "'quoted", "", "0xabc", "🦊"]) expect(renderCell(value, "text")).toBe(value);
  });

  it("contains a number unchanged, regardless of its length", () => {
    const amount = String(2n ** 256n - 1n);
    expect(renderCell(amount, "number")).toBe(amount);
    expect(renderCell(`-${amount}`, "number")).toBe(`-${amount}`);
    expect(renderCell(-1.5, "number")).toBe("-1.5");
    expect(renderCell(1e-7, "number")).toBe("1e-7");
    expect(renderCell("UNLIMITED", "number")).toBe("UNLIMITED");
    expect(renderCell("-1+cmd", "number")).toBe("'-1+cmd");
  });

  it("is empty for null, and contains compact JSON for a list", () => {
    expect(renderCell(null, "text")).toBe("");
    expect(renderCell(undefined, "json")).toBe("");
    expect(renderCell(["erc20", "=x"], "json")).toBe('["erc20","=x"]');
    expect(renderCell(false, "boolean")).toBe("false");
  });
});

describe("CSV", () => {
  it("conforms to RFC 4180: CRLF after each record, and quoted fields with doubled quotes", async () => {
    const columns = [column("name", "text"), column("amount", "number")];
    const items = [
      { name: "plain", amount: "1" },
      { name: 'say "hi", now', amount: 2 },
      { name: "two\nlines", amount: null },
      { name: "return\ralone", amount: 3 },
    ];
    expect(await render(columns, { items })).toBe(
      'name,amount\r\nplain,1\r\n"say ""hi"", now",2\r\n"two\nlines",\r\n"return\ralone",3\r\n',
    );
  });

  it("has a header even without rows", async () => {
    expect(await render([column("name", "text")], { items: [] })).toBe("name\r\n");
    expect(await render([column("name", "text")], { items: null })).toBe("name\r\n");
  });

  it("contains nested values in dotted columns, left empty for a null parent", async () => {
    const columns = [column("decoded.name", "text"), column("decoded.params", "json")];
    const items = [{ decoded: { name: "Transfer", params: [{ name: "from" }] } }, { decoded: null }];
    expect(await render(columns, { items })).toBe('decoded.name,decoded.params\r\nTransfer,"[{""name"":""from""}]"\r\n,\r\n');
  });

  it("repeats a parent's fields in each of its rows", async () => {
    const columns = [column("contract_name", "text", "parent"), column("price", "number")];
    const data = [
      { contract_name: "Gold", prices: [{ price: 2 }, { price: 1.5 }] },
      { contract_name: "Iron", prices: [] },
      { contract_name: "Salt", prices: [{ price: null }] },
    ];
    expect(await render(columns, data, { list: true, rows: "prices" })).toBe("contract_name,price\r\nGold,2\r\nGold,1.5\r\nSalt,\r\n");
  });

  it("has one row if the response itself is the row", async () => {
    expect(await render([column("height", "number")], { height: 7 }, { rows: null })).toBe("height\r\n7\r\n");
  });

  it("waits for a slow reader instead of buffering all rows", async () => {
    const rowCount = 20_000;
    let formattedCount = 0;
    const items = Array.from({ length: rowCount }, (_, index) => ({
      get value() {
        formattedCount += 1;
        return `row ${index} ${"x".repeat(50)}`;
      },
    }));
    let receivedBytes = 0;
    const slowReader = new Writable({
      highWaterMark: 1024,
      write(chunk: Buffer, _encoding, done) {
        receivedBytes += chunk.length;
        // Only rows that fit in the buffers are formatted ahead.
        if (receivedBytes < 10_000) expect(formattedCount).toBeLessThan(rowCount / 4);
        setImmediate(done);
      },
    });
    await writeCsv({ csv: [column("value", "text")], list: false, rows: "items" }, { items }, slowReader);
    expect(formattedCount).toBe(rowCount);
  });

  it("is measured before it is sent, up to a limit", async () => {
    const operation = { csv: [column("name", "text")], list: false, rows: "items" };
    const items = Array.from({ length: 100 }, () => ({ name: "é23456789" }));
    // 10 bytes of UTF-8 and one separator per row.
    expect(await measureCsv(operation, { items }, 10_000)).toBe(1100);
    expect(await measureCsv(operation, { items }, 500)).toBeLessThan(600);
  });
});

describe("an endpoint with format=csv", () => {
  let app: Harness;
  const path = "/v1/demo/block_v2/2026-01-01/2026-01-02/";
  beforeAll(async () => {
    app = await startHarness(
      {
        getBlockHeights: async ({ page }: { readonly page: { readonly number: number; readonly size: number } }) => ({
          updated_at: "2026-01-01T00:00:00Z",
          items: Array.from({ length: Math.min(page.size, 100) }, (_, index) => ({
            block_hash: `0x${index}`,
            height: index,
            extra_data: "=cmd",
          })),
          pagination: { has_more: true, page_number: page.number, page_size: page.size, total_count: page.number === 0 ? 250 : null },
        }),
      },
      { limits: { responseBytes: 20_000 } },
    );
  });
  afterAll(() => app.end());

  it("returns its rows, with the pagination in headers", async () => {
    const { status, headers, text: body } = await app.get(`${path}?format=csv&page-size=2`);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    expect(headers["x-total-count"]).toBe("250");
    expect(headers["x-has-more"]).toBe("true");
    expect(headers["x-credits"]).toBe("1");
    const lines = body.split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]?.split(",").slice(0, 3)).toEqual(["block_hash", "signed_at", "height"]);
    expect(lines[1]).toContain(",'=cmd,");
    expect((await app.get(`${path}?format=csv&page-number=1`)).headers["x-total-count"]).toBeUndefined();
  });

  it("accepts pages of up to 10,000 rows", async () => {
    expect((await app.get(`${path}?format=csv&page-size=10000`)).status).toBe(200);
    expect((await app.get(`${path}?format=csv&page-size=10001`)).status).toBe(400);
    expect((await app.get(`${path}?page-size=1001`)).status).toBe(400);
  });

  it("responds to HEAD with headers only, at the same cost", async () => {
    const { status, headers, text: body } = await app.withoutKey().head(`${path}?format=csv`).set("Authorization", `Bearer ${app.key}`);
    expect(status).toBe(200);
    expect(body).toBeUndefined();
    expect(headers["content-type"]).toContain("text/csv");
    expect(headers["x-credits"]).toBe("1");
  });

  it("returns errors in the envelope", async () => {
    const { status, body, headers } = await app.get(`/v1/nowhere/block_v2/2026-01-01/2026-01-02/?format=csv`);
    expect(status).toBe(400);
    expect(headers["content-type"]).toContain("application/json");
    expect(body).toEqual(errorEnvelope(400, expect.stringContaining("chainName")));
  });

  it("refuses a response above the maximum size before the first byte, and charges nothing", async () => {
    const limited = await startHarness(
      { getBlockHeights: async () => ({ items: [{ extra_data: "x".repeat(2000) }] }) },
      { limits: { responseBytes: 1000 } },
    );
    for (const format of ["csv", "json"]) {
      const { status, body, headers } = await limited.get(`${path}?format=${format}`);
      expect(status).toBe(400);
      expect(body.error_message).toContain("the maximum is 1000 (limits.responseBytes)");
      expect(headers["x-credits"]).toBe("0");
    }
    await limited.end();
  });
});
