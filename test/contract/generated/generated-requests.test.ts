import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import { loadCatalog, readCatalogFiles } from "../../../generator/catalog/load.ts";
import { buildModel } from "../../../generator/model/build-model.ts";
import type { Operation } from "../../../generator/model/model.ts";
import { useApp } from "../../support/app.ts";
import { exampleOf } from "../../support/contract/examples.ts";
import { readDocument } from "../../support/document.ts";
import { createOpenApiValidator, type OpenApiValidator } from "../../support/openapi-validator.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { createResponseChecker } from "./check-response.ts";
import { createCounts } from "./count-responses.ts";
import { createStoryExamples, generateRequest, type StoryExamples } from "./generate-request.ts";
import { createSender } from "./send-request.ts";

/**
 * `GENERATED_REQUESTS=100000 GENERATED_SEED=name npx vitest run test/contract/generated` changes the number of requests and the seed;
 * GENERATED_FIRST skips the requests before a number. With any of these settings, the test prints the counts.
 */
const { GENERATED_REQUESTS, GENERATED_SEED, GENERATED_FIRST } = process.env;
const count = Number(GENERATED_REQUESTS ?? "5000");
const seed = GENERATED_SEED ?? "ashlar";
const first = Number(GENERATED_FIRST ?? "0");
const isLongRun = [GENERATED_REQUESTS, GENERATED_SEED, GENERATED_FIRST].some((setting) => setting !== undefined);
const connectionCount = 8;
const maxProblemsShown = 10;
/** With this many requests per operation, each operation receives accepted and rejected values. */
const requestsPerOperation = 40;

const app = await useApp();
const { send, close } = createSender(app.url, app.key, connectionCount);
let openApi: OpenApiValidator;
let checkResponse: ReturnType<typeof createResponseChecker>;
let operations: readonly Operation[];
let examples: StoryExamples;

beforeAll(async () => {
  const { catalog } = loadCatalog(await readCatalogFiles("spec"));
  if (catalog === null) throw new Error("Invalid catalog: see npm run generate.");
  ({ operations } = buildModel(catalog, new Map()));
  examples = createStoryExamples(operations, (operation) => exampleOf(operation, app.storyValues));
  const document = await readDocument();
  openApi = await createOpenApiValidator(document);
  checkResponse = createResponseChecker(document, openApi);
});

afterAll(async () => {
  close();
  await openApi?.close();
});

describe(`${count} generated requests (seed ${seed})`, () => {
  it("receive documented responses and no unexpected errors", { timeout: scaleTimeLimit(60_000 + 60 * count) }, async () => {
    const problems: string[] = [];
    let problemCount = 0;
    const counts = createCounts();
    let sent = first;
    const sendNext = async (): Promise<void> => {
      // Round-robin: the numbers of requests per operation differ by at most one.
      const index = sent++;
      const operation = operations[index % operations.length] as Operation;
      // Each request has its own seed, so the requests do not depend on the order of responses.
      const request = generateRequest(createRandom(`${seed} ${index}`), operation, examples);
      const report = (problem: string): void => {
        problemCount += 1;
        if (problems.length >= maxProblemsShown) return;
        const repeat = `GENERATED_SEED=${JSON.stringify(seed)} GENERATED_FIRST=${index} GENERATED_REQUESTS=1`;
        problems.push(`${request.method} ${request.target} ${JSON.stringify(request.headers)}: ${problem} (${repeat})`);
      };
      const response = await send(request).catch((error: unknown) => {
        report(String(error));
        return null;
      });
      if (response === null) return;
      counts.add(operation.id, response.status, request.matchesOperation);
      const problem = await checkResponse(request, response);
      if (problem !== null) report(problem);
    };
    const sendAll = async (): Promise<void> => {
      while (sent < first + count) await sendNext();
    };
    await Promise.all(Array.from({ length: connectionCount }, sendAll));
    if (isLongRun) process.stdout.write(`${count} generated requests, starting at ${first}, seed ${seed}\n${counts.text()}\n`);
    expect(problems, `${problemCount} problems; statuses ${JSON.stringify([...counts.statuses])}`).toEqual([]);
    if (count < requestsPerOperation * operations.length) return;
    expect(counts.succeeded.size).toBe(operations.length);
    expect(counts.statuses.get(400) ?? 0).toBeGreaterThan(count / 20);
  });
});
