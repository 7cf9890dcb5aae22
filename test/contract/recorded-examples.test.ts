import { describe, expect, it } from "vitest";
import { operations } from "../../generated/operations.gen.ts";
import { useApp } from "../support/app.ts";
import { exampleOf, targetOf } from "../support/contract/examples.ts";
import { createCaller } from "./caller.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);
const live = operations.filter(({ status }) => status === "live");

/** The number of elements of each list in an example. */
const maxElements = 2;
const variableTimes = ["updated_at", "update_at", "node_seen_at", "last_scraped_at"];

/** The documented form of a response: lists are shortened, and variable times and the server's URL are replaced. */
function excerpt(value: unknown, name = ""): unknown {
  if (variableTimes.includes(name)) return "2025-10-31T12:00:00Z";
  if (typeof value === "string") return value.replace(app.url, "https://api.example");
  if (Array.isArray(value)) return value.slice(0, maxElements).map((element) => excerpt(element));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, excerpt(member, key)]));
}

// The documentation contains real responses; `npm run record-examples` updates them.
describe("the recorded example", () => {
  it.each(live.map((operation) => [operation.id, operation] as const))("of %s equals the service's response", async (id, operation) => {
    const { status, body } = await call(targetOf(operation, exampleOf(operation, app.storyValues)));
    expect(status).toBe(200);
    await expect(`${JSON.stringify(excerpt(body), null, 2)}\n`).toMatchFileSnapshot(`../../spec/examples/${id}.json`);
  });
});
