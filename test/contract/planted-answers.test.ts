import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../generated/operations.gen.ts";
import { type ValidatedOperation, validators } from "../../generated/validators.gen.js";
import { type Document, readDocument } from "../support/document.ts";
import { type Answer, createJudge, type Judge } from "../support/judge.ts";

type Data = Record<string, unknown>;

/** An operation of the document with its example response. */
interface Documented {
  readonly id: ValidatedOperation;
  readonly path: string;
  readonly body: unknown;
}

interface Example {
  readonly example?: unknown;
}

const json = "application/json; charset=utf-8";
const right = (body: unknown): Answer => ({ status: 200, contentType: json, body });
const failure = (status: number) => ({ data: null, error: true, error_message: "It did not work.", error_code: status });

let judge: Judge;
let documented: readonly Documented[];

beforeAll(async () => {
  const document = await readDocument();
  judge = await createJudge(document);
  documented = operations.map(({ id, path }) => ({
    id: id as ValidatedOperation,
    path,
    body: exampleOf(document, path),
  }));
});

afterAll(() => judge?.close());

function exampleOf(document: Document, path: string): unknown {
  const media = document.paths[path]?.get?.responses["200"]?.content?.["application/json"] as Example | undefined;
  if (media?.example === undefined) throw new Error(`${path} has no example.`);
  return media.example;
}

function operation(id: string): Documented {
  const found = documented.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`Unknown operation ${id}.`);
  return found;
}

/** The example response with one change to its payload. */
function planted({ body }: Documented, change: (data: Data, row: Data) => void): unknown {
  const copy = structuredClone(body) as { data: Data | Data[] };
  const data = (Array.isArray(copy.data) ? copy.data[0] : copy.data) ?? {};
  const [row = data] = (data.items ?? []) as Data[];
  change(data, row);
  return copy;
}

/** The violations of both validators; null if one of them has none. */
async function objections({ id, path }: Documented, body: unknown): Promise<{ judge: string | null; validator: string | null }> {
  const validate = validators[id];
  const isRight = validate(body);
  return { judge: await judge.answer(path, right(body)), validator: isRight ? null : JSON.stringify(validate.errors) };
}

async function expectCaught(documentedOperation: Documented, body: unknown, where: RegExp): Promise<void> {
  const said = await objections(documentedOperation, body);
  expect(said.judge, documentedOperation.id).toMatch(where);
  expect(said.validator, documentedOperation.id).toMatch(where);
}

describe("the response validators", () => {
  it("accept the documented response of every operation", async () => {
    for (const each of documented) expect(await objections(each, each.body), each.id).toEqual({ judge: null, validator: null });
  });

  it("accept a documented error", async () => {
    const { path } = operation("getBlock");
    for (const status of [400, 401, 402, 404, 429, 500, 503]) {
      expect(await judge.answer(path, { status, contentType: json, body: failure(status) }), String(status)).toBeNull();
    }
  });

  it("reject a missing field in every operation's response", async () => {
    for (const each of documented) {
      const [field = ""] = Object.keys((planted(each, () => {}) as { data: Data }).data);
      const name = Array.isArray((each.body as { data: unknown }).data)
        ? Object.keys((each.body as { data: Data[] }).data[0] ?? {})[0]
        : field;
      await expectCaught(
        each,
        planted(each, (data) => {
          delete data[name ?? ""];
        }),
        new RegExp(`required.*${name}|${name}.*required`),
      );
    }
  });

  it("reject an undeclared field in every operation's response", async () => {
    for (const each of documented) {
      await expectCaught(
        each,
        planted(each, (_data, row) => {
          row.more = null;
        }),
        /additional/,
      );
    }
  });

  it("reject a payload that is null or not an object in every operation's response", async () => {
    for (const each of documented) {
      const envelope = each.body as Data;
      await expectCaught(each, { ...envelope, data: "text" }, /\/data/);
      await expectCaught(each, { ...envelope, data: null }, /\/data/);
    }
  });

  it("reject an incomplete envelope, or one with an error", async () => {
    const block = operation("getBlock");
    const { error_code: _code, ...partial } = block.body as Data;
    await expectCaught(block, partial, /error_code/);
    await expectCaught(block, { ...(block.body as Data), error: true }, /\/error/);
    await expectCaught(block, { ...(block.body as Data), took: 5 }, /additional/);
  });
});

describe("a wrong value", () => {
  const plants: readonly (readonly [string, string, string, unknown])[] = [
    ["a number as text", "getBlock", "height", "18420"],
    ["text as a number", "getBlock", "block_hash", 1],
    ["a list as an object", "getNativeTokenBalance", "supports_erc", {}],
    ["a fraction where a whole number belongs", "getBlock", "gas_used", 1.5],
    ["an amount as a number", "getNativeTokenBalance", "balance", 1_000_000],
    ["an amount with a fraction", "getNativeTokenBalance", "balance", "1.5"],
    ["an amount with an exponent", "getNativeTokenBalance", "balance", "1e18"],
    ["a negative amount", "getNativeTokenBalance", "balance", "-1"],
    ["an amount in hex", "getNativeTokenBalance", "balance", "0x10"],
    ["an amount with a leading zero", "getNativeTokenBalance", "balance", "01"],
    ["an empty amount", "getNativeTokenBalance", "balance", ""],
    ["an address in upper case", "getBlock", "miner_address", "0x90F79BF6EB2C4F870365E785982E1F101E93B906"],
    ["an address that is too short", "getBlock", "miner_address", "0x90f79bf6eb2c4f870365e785982e1f101e93b9"],
    ["a hash in upper case", "getBlock", "block_hash", `0x${"AB".repeat(32)}`],
    ["a timestamp without Z", "getBlock", "signed_at", "2026-02-28T21:04:12"],
    ["a timestamp with an offset", "getBlock", "signed_at", "2026-02-28T21:04:12+00:00"],
    ["a timestamp with a blank for its T", "getBlock", "signed_at", "2026-02-28 21:04:12Z"],
    ["a timestamp as a number", "getBlock", "signed_at", 1_772_312_652],
    ["null where a value is always known", "getBlock", "height", null],
    ["null in the place of a timestamp", "getBlock", "signed_at", null],
    ["a link without a host", "getBlock", "transactions_link", "/v1/demo/block/1/transactions_v3/"],
  ];

  it.each(plants)("is rejected: %s: %s.%s", async (_name, id, field, value) => {
    const each = operation(id);
    await expectCaught(
      each,
      planted(each, (_data, row) => {
        expect(row).toHaveProperty(field);
        row[field] = value;
      }),
      new RegExp(`/${field}`),
    );
  });

  it("is rejected: null in place of a list", async () => {
    const each = operation("getErc20TransfersForWalletAddress");
    await expectCaught(
      each,
      planted(each, (data) => {
        data.items = null;
      }),
      /\/items/,
    );
  });

  it("is rejected: a row of another endpoint", async () => {
    const each = operation("getBlock");
    await expectCaught(
      each,
      planted(each, (data) => {
        data.items = [planted(operation("getNativeTokenBalance"), () => {})];
      }),
      /items\/0/,
    );
  });
});

describe("a wrong status or media type is rejected", () => {
  const path = "/v1/{chainName}/block_v2/{blockHeight}/";

  it.each([201, 204, 206, 302, 403, 406, 418, 504, 599])("undeclared status %i", async (status) => {
    const body = status < 400 ? operation("getBlock").body : failure(status);
    expect(await judge.answer(path, { status, contentType: json, body })).toBe(
      `no schema defined for status code '${Math.min(status, 509)}' in the openapi spec`,
    );
  });

  it("501 from a live operation, and only from a live one", async () => {
    const answer = { status: 501, contentType: json, body: failure(501) };
    expect(await judge.answer(path, answer)).toMatch(/status code '501'/);
    const planned = operations.find(({ status }) => status === "planned");
    expect(planned === undefined ? null : await judge.answer(planned.path, answer)).toBeNull();
  });

  it("an error with an extra field, also above 500", async () => {
    for (const status of [400, 404, 500, 503]) {
      const answer = { status, contentType: json, body: { ...failure(status), stack: "Error" } };
      expect(await judge.answer(path, answer), String(status)).toMatch(/additional properties/);
    }
  });

  it("an error with a success status, and a success with an error status", async () => {
    expect(await judge.answer(path, right(failure(400)))).toMatch(/\/response\/data/);
    expect(await judge.answer(path, { status: 400, contentType: json, body: operation("getBlock").body })).toMatch(/\/response\/data/);
  });

  it("JSON as HTML, and an error as CSV", async () => {
    expect(await judge.answer(path, { ...right(operation("getBlock").body), contentType: "text/html" })).toMatch(
      /text\/html is not declared/,
    );
    expect(await judge.answer(path, { status: 400, contentType: "text/csv", body: failure(400) })).toMatch(/text\/csv is not declared/);
  });

  it("an empty body", async () => {
    expect(await judge.answer(path, right(null))).toMatch(/body required/);
  });
});
