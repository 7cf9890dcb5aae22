import { describe, expect, it } from "vitest";
import { useApp } from "../support/app.ts";
import { demoOperations } from "../support/contract/demo-operations.ts";
import { exampleOf, targetOf } from "../support/contract/examples.ts";
import { exampleText } from "../support/contract/recorded-excerpt.ts";
import { createCaller } from "./caller.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);

// The documentation contains real responses; `npm run record-examples` updates them.
describe("an operation's recorded example", () => {
  it.each(demoOperations.map((operation) => [operation.id, operation] as const))(
    "equals the service's response: %s",
    async (id, operation) => {
      const { status, body } = await call(targetOf(operation, exampleOf(operation, app.storyValues)));
      expect(status).toBe(200);
      await expect(exampleText(body, app.url)).toMatchFileSnapshot(`../../spec/examples/${id}.json`);
    },
  );
});
