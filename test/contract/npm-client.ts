import { type Chain, CovalentClient } from "@covalenthq/client-sdk";
import { afterAll, beforeAll, expect } from "vitest";
import { useApp } from "../support/app.ts";
import { createRetryingFetch } from "./caller.ts";

/** The result of an npm client method. */
export interface ClientResponse<T> {
  readonly data: T;
  readonly error: boolean;
  readonly error_code: number | string;
  readonly error_message: string;
}

/** A page with links to the previous and the next page. */
export interface PageWithLinks<T> {
  readonly items: readonly T[];
  prev(): Promise<ClientResponse<PageWithLinks<T>>>;
  next(): Promise<ClientResponse<PageWithLinks<T>>>;
  readonly links: { readonly prev: string | null; readonly next: string | null };
}

/** The client's chain type is a fixed list, but the client sends any name or id. */
export const chain = "demo" as unknown as Chain;
export const chainById = 31337 as unknown as Chain;

/** Creates the npm client and redirects it to the test service while the calling file's tests run. */
export async function useNpmClient(): Promise<CovalentClient> {
  const app = await useApp();
  const { fetch: globalFetch } = globalThis;
  beforeAll(() => {
    const retryingFetch = createRetryingFetch(globalFetch);
    // The client has a built-in URL and calls the global fetch.
    globalThis.fetch = (input, init) => retryingFetch(String(input).replace(/^https:\/\/api\.[^/]+(?=\/v1\/)/, app.url), init);
  });
  afterAll(() => {
    globalThis.fetch = globalFetch;
  });
  return new CovalentClient(app.key, { enableRetry: false });
}

/** The payload of a successful response. */
export async function dataOf<T>(response: Promise<ClientResponse<T>>): Promise<T> {
  const { data, error, error_code: code, error_message: message } = await response;
  expect({ error, code, message }).toEqual({ error: false, code: null, message: null });
  expect(data).not.toBeNull();
  return data;
}

/** Collects all items of a client's iterator. */
export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

/** Collects the items from the newest to the oldest page by following the links. */
export async function walkBack<T>(first: PageWithLinks<T>): Promise<T[]> {
  const items = [...first.items];
  for (let page = first; page.links.prev !== null; ) {
    page = await dataOf(page.prev());
    items.push(...page.items);
  }
  return items;
}

/** Whether the client converted a value to a time. */
export const isValidDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());

/** The items on all numbered pages of a list, and the total that the pages report. */
export async function allPages<T>(
  read: (
    page: number,
  ) => Promise<ClientResponse<{ readonly items: readonly T[]; readonly pagination: { has_more: boolean; total_count: number } }>>,
): Promise<{ readonly items: T[]; readonly total: number; readonly pages: number }> {
  const items: T[] = [];
  for (let page = 0; ; page += 1) {
    const { items: pageItems, pagination } = await dataOf(read(page));
    items.push(...pageItems);
    if (!pagination.has_more) return { items, total: pagination.total_count, pages: page + 1 };
  }
}
