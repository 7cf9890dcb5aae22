import { describe, expect, it } from "vitest";
import { AshlarError, createClient, type Success } from "../../generated/client.gen.ts";
import type { operations } from "../../generated/operations.gen.ts";
import { type ValidatedOperation, validators } from "../../generated/validators.gen.js";
import { useApp } from "../support/app.ts";
import { demoOperations } from "../support/contract/demo-operations.ts";
import { exampleOf } from "../support/contract/examples.ts";
import { createRetryingFetch } from "./caller.ts";

type Parameters = Readonly<Record<string, string | number>>;
type Method = (parameters: Parameters) => Promise<Success<unknown>>;
type Page = { readonly items: readonly unknown[]; readonly pagination: { readonly total_count: number | null } };
type PagesOf = (parameters: Parameters) => AsyncGenerator<Page>;

const app = await useApp();
const retryingFetch = createRetryingFetch(fetch);
const client = createClient({ baseUrl: app.url, key: app.key, fetch: retryingFetch });
/** The methods by operation id, untyped, because the tests iterate over the catalog; a test below checks one method's types. */
const methods = client as unknown as Readonly<Record<string, Method>>;
const pages = client.pages as unknown as Readonly<Record<string, PagesOf>>;

/** The client's name for a parameter: `page-size` becomes `pageSize`. */
const camelCase = (name: string): string => name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

function parametersOf(operation: (typeof operations)[number]): Record<string, string> {
  return Object.fromEntries(Object.entries(exampleOf(operation, app.storyValues)).map(([name, value]) => [camelCase(name), value]));
}

async function failureOf(call: Promise<unknown>): Promise<AshlarError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AshlarError)) throw new Error("Expected an AshlarError.", { cause: error });
  return error;
}

describe("the generated client", () => {
  it.each(demoOperations)("calls the documented example of $id", async (operation) => {
    const response = await methods[operation.id]?.(parametersOf(operation));
    expect(response).toMatchObject({ error: false, error_message: null, error_code: null });
    const validate = validators[operation.id as ValidatedOperation];
    expect(validate(response), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each(demoOperations.filter(({ style }) => style === "page"))(
    "reads every page of $id and returns each row once",
    async (operation) => {
      // Pages of holders have 100 or 1000 items; other pages can have any size.
      const pageSize = operation.id === "getTokenHolders" ? 100 : 50;
      const parameters = { ...parametersOf(operation), pageSize };
      const rows: string[] = [];
      let count: number | null = null;
      for await (const page of pages[operation.id]?.(parameters) ?? []) {
        rows.push(...page.items.map((item) => JSON.stringify(item)));
        count = page.pagination.total_count;
        expect(page.items.length).toBeLessThanOrEqual(pageSize);
      }
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows).size).toBe(rows.length);
      expect([null, rows.length]).toContain(count);
    },
  );

  it("has typed parameters and responses", async () => {
    const { data } = await client.getBlock({ chainName: 31337, blockHeight: "latest" });
    const height: number | undefined = data.items[0]?.height;
    expect(height).toBeGreaterThan(0);
    // @ts-expect-error: a path parameter is required.
    await expect(client.getBlock({ chainName: "demo" })).rejects.toThrow(/blockHeight/);
  });

  it("throws an error with the server's status and message", async () => {
    const error = await failureOf(client.getBlock({ chainName: "demo", blockHeight: -1 }));
    expect(error).toMatchObject({ name: "AshlarError", status: 400, operation: "getBlock" });
    expect(error.message).toMatch(/-1.*blockHeight/);
    const unknown = await failureOf(client.getTransaction({ chainName: "demo", txHash: `0x${"ab".repeat(32)}` }));
    expect(unknown.status).toBe(404);
  });

  it("does not reveal the key in errors", async () => {
    const key = `ckey_${"0".repeat(27)}`;
    const error = await failureOf(createClient({ baseUrl: app.url, key, fetch: retryingFetch }).getAllChains());
    expect(error.status).toBe(401);
    expect(`${error.message}${error.stack}`).not.toContain(key);
  });

  it("throws an error with status 0 if no server is listening", async () => {
    // No server listens on port 1 (tcpmux), and an ordinary user cannot start one.
    const error = await failureOf(
      createClient({ baseUrl: "http://127.0.0.1:1", key: app.key, fetch: (url, init) => globalThis.fetch(url, init) }).getAllChains(),
    );
    expect(error.status).toBe(0);
  });

  it("throws an error if the signal that it receives is aborted", async () => {
    const aborted = AbortSignal.abort();
    await expect(client.getAllChains({}, { signal: aborted })).rejects.toBeInstanceOf(AshlarError);
  });
});
