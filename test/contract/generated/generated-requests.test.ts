import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import { loadCatalog, readCatalogFiles } from "../../../generator/catalog/load.ts";
import { buildModel } from "../../../generator/model/build-model.ts";
import type { Operation } from "../../../generator/model/model.ts";
import { useApp } from "../../support/app.ts";
import { exampleOf } from "../../support/contract/examples.ts";
import { deadline } from "../../support/deadline.ts";
import { readDocument } from "../../support/document.ts";
import { createOpenApiValidator, type OpenApiValidator } from "../../support/openapi-validator.ts";
import { createStoryPool, generateRequest, type StoryPool } from "./generate-request.ts";
import { createJudge } from "./judge-response.ts";
import { createSender } from "./send-request.ts";

/** `GENERATED_REQUESTS=100000 GENERATED_SEED=name npx vitest run test/contract/generated` sends more of them, or others. */
const count = Number(process.env.GENERATED_REQUESTS ?? "5000");
const seed = process.env.GENERATED_SEED ?? "ashlar";
const connections = 8;

const app = await useApp();
const { send, close } = createSender(app.url, app.key, connections);
let openApi: OpenApiValidator;
let judge: ReturnType<typeof createJudge>;
let operations: readonly Operation[];
let pool: StoryPool;

beforeAll(async () => {
  const { catalog } = loadCatalog(await readCatalogFiles("spec"));
  if (catalog === null) throw new Error("Invalid catalog: see npm run generate.");
  ({ operations } = buildModel(catalog, new Map()));
  pool = createStoryPool(operations, (operation) => exampleOf(operation, app.storyValues));
  const document = await readDocument();
  openApi = await createOpenApiValidator(document);
  judge = createJudge(document, openApi);
});

afterAll(async () => {
  close();
  await openApi?.close();
});

describe(`${count} generated requests (seed ${seed})`, () => {
  it("have documented responses, and never fail with an unexpected error", { timeout: deadline(60_000 + 60 * count) }, async () => {
    const problems: string[] = [];
    const statuses = new Map<number, number>();
    const answered = new Set<string>();
    let sent = 0;
    const sendAll = async (): Promise<void> => {
      while (sent < count) {
        // Each operation in turn, so that the number of requests of each differs by at most one.
        const index = sent++;
        const operation = operations[index % operations.length] as Operation;
        // A seed of its own for each request: which requests are sent does not depend on the order of responses.
        const request = generateRequest(createRandom(`${seed} ${index}`), operation, pool);
        const describeWith = (problem: string): string =>
          `${request.method} ${request.target} ${JSON.stringify(request.headers)}: ${problem}`;
        const response = await send(request).catch((error: unknown) => void problems.push(describeWith(String(error))));
        if (response === undefined) continue;
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 200 && request.hasPath) answered.add(operation.id);
        const problem = await judge(request, response);
        if (problem !== null) problems.push(describeWith(problem));
      }
    };
    await Promise.all(Array.from({ length: connections }, sendAll));
    expect(problems.slice(0, 10), `${problems.length} problems; statuses ${JSON.stringify([...statuses])}`).toEqual([]);
    // The generator must reach both: values that are accepted, of every operation, and values that are rejected.
    expect(answered.size).toBe(operations.length);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(count / 20);
  });
});
