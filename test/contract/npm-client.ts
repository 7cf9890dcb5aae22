import { type Chain, CovalentClient } from "@covalenthq/client-sdk";
import { afterAll, beforeAll, expect } from "vitest";
import { useApp } from "../support/app.ts";
import { createPatientFetch } from "./caller.ts";

/** What every method of the npm client resolves to. */
export interface Reply<T> {
  readonly data: T;
  readonly error: boolean;
  readonly error_code: number | string;
  readonly error_message: string;
}

/** A page that leads to its neighbours. */
export interface Pages<T> {
  readonly items: readonly T[];
  prev(): Promise<Reply<Pages<T>>>;
  next(): Promise<Reply<Pages<T>>>;
  readonly links: { readonly prev: string | null; readonly next: string | null };
}

/** The client's type of chain names is its vendor's list; it sends any. */
export const chain = "demo" as unknown as Chain;
export const byId = 31337 as unknown as Chain;

/** The npm client, led to the service of the tests while those of the calling file run. */
export async function useNpmClient(): Promise<CovalentClient> {
  const app = await useApp();
  const { fetch: globalFetch } = globalThis;
  beforeAll(() => {
    const patientFetch = createPatientFetch(globalFetch);
    // The client has its address built in, and calls the global fetch.
    globalThis.fetch = (input, init) => patientFetch(String(input).replace(/^https:\/\/api\.[^/]+(?=\/v1\/)/, app.url), init);
  });
  afterAll(() => {
    globalThis.fetch = globalFetch;
  });
  return new CovalentClient(app.key, { enableRetry: false });
}

/** The payload of a reply without an error. */
export async function dataOf<T>(reply: Promise<Reply<T>>): Promise<T> {
  const { data, error, error_code: code, error_message: message } = await reply;
  expect({ error, code, message }).toEqual({ error: false, code: null, message: null });
  expect(data).not.toBeNull();
  return data;
}

/** All that an iterator of the client gives. */
export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

/** The items from the newest page to the oldest, by the links. */
export async function walkBack<T>(first: Pages<T>): Promise<T[]> {
  const items = [...first.items];
  for (let page = first; page.links.prev !== null; ) {
    page = await dataOf(page.prev());
    items.push(...page.items);
  }
  return items;
}

/** Whether the client made a time of what it read. */
export const isValidDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());

/** The items of all pages of a list that is read by page numbers, and how many its pages say there are. */
export async function allPages<T>(
  read: (page: number) => Promise<Reply<{ readonly items: readonly T[]; readonly pagination: { has_more: boolean; total_count: number } }>>,
): Promise<{ readonly items: T[]; readonly total: number; readonly pages: number }> {
  const items: T[] = [];
  for (let page = 0; ; page += 1) {
    const { items: some, pagination } = await dataOf(read(page));
    items.push(...some);
    if (!pagination.has_more) return { items, total: pagination.total_count, pages: page + 1 };
  }
}
