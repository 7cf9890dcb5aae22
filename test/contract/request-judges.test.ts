import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCatalog, readCatalogFiles } from "../../generator/catalog/load.ts";
import { buildModel } from "../../generator/model/build-model.ts";
import { readDocument } from "../support/document.ts";
import { createJudge, type Judge, type Verdict } from "../support/judge.ts";
import { type Difference, differences } from "./differences.ts";
import { type RequestCase, requestCases, requestOf } from "./request-cases.ts";
import { createRequestCode } from "./request-code.ts";

interface Judged {
  readonly request: RequestCase;
  readonly here: Verdict;
  readonly judged: Verdict;
}

const readRequest = createRequestCode();
let judge: Judge;
let judgedCases: readonly Judged[];
let examples: ReadonlyMap<Difference, Judged>;

beforeAll(async () => {
  const { catalog } = loadCatalog(await readCatalogFiles("spec"));
  if (catalog === null) throw new Error("The catalog has errors.");
  const model = buildModel(catalog, new Map());
  judge = await createJudge(await readDocument());
  const both = async (request: RequestCase): Promise<Judged> => {
    const [here, judged] = await Promise.all([readRequest(request.target), judge.request(request.target)]);
    return { request, here, judged };
  };
  const judgeAll = async (requests: readonly RequestCase[]): Promise<Judged[]> => {
    const results: Judged[] = [];
    for (const request of requests) results.push(await both(request));
    return results;
  };
  judgedCases = await judgeAll(requestCases(model));
  const exampleRequests = differences.map(({ example: { operation: id, ...changes } }) => {
    const operation = model.operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`Unknown operation ${id}.`);
    return requestOf(operation, changes);
  });
  const judgedExamples = await judgeAll(exampleRequests);
  examples = new Map(
    differences.flatMap((difference, index) => {
      const example = judgedExamples[index];
      return example === undefined ? [] : [[difference, example] as const];
    }),
  );
});

afterAll(() => judge?.close());

/** Equal results: accepted for the same operation, or refused for the same parameters. */
function agree({ here, judged }: Judged): boolean {
  if (here.accepted || judged.accepted) return here.accepted && judged.accepted && here.operation === judged.operation;
  return here.status === judged.status && here.blamed.join() === judged.blamed.join();
}

function differsAs({ here }: Difference, judged: Judged): boolean {
  return judged.here.accepted === (here === "accepts") && judged.judged.accepted === (here === "refuses");
}

/** Disagreements missing from the table, and agreements that the table lists as differences. */
function findings(table: readonly Difference[]): string[] {
  return judgedCases.flatMap((judged) => {
    const entries = table.filter(({ applies }) => applies(judged.request));
    const right = agree(judged) ? entries.length === 0 : entries.length > 0 && entries.every((entry) => differsAs(entry, judged));
    if (right) return [];
    const said = [judged.here, judged.judged].map((verdict) =>
      verdict.accepted ? `accepts as ${verdict.operation}` : `refuses: ${verdict.message}`,
    );
    return [
      `${judged.request.target}\n  here ${said[0]}\n  judge ${said[1]}\n  table: ${entries.map(({ kind }) => kind).join(", ") || "nothing"}`,
    ];
  });
}

describe("the generated request code and express-openapi-validator", () => {
  it("receive hundreds of valid and hundreds of invalid requests for every endpoint", () => {
    const agreed = judgedCases.filter(agree);
    expect(agreed.filter(({ here }) => here.accepted).length).toBeGreaterThan(1000);
    expect(agreed.filter(({ here }) => !here.accepted).length).toBeGreaterThan(1000);
    expect(new Set(agreed.flatMap(({ here }) => (here.accepted ? [here.operation] : []))).size).toBe(
      new Set(judgedCases.map(({ request }) => request.operation.id)).size,
    );
  });

  it("agree on the operation and each invalid parameter of every request, except the listed differences", () => {
    expect(findings(differences).slice(0, 20)).toEqual([]);
  });

  it.each(differences)("still differ for $kind", (difference) => {
    const example = examples.get(difference);
    expect(example).toBeDefined();
    if (example === undefined) return;
    expect(difference.applies(example.request)).toBe(true);
    expect(example.here.accepted, JSON.stringify(example)).toBe(difference.here === "accepts");
    expect(example.judged.accepted, JSON.stringify(example)).toBe(difference.here === "refuses");
    expect(judgedCases.some(({ request }) => difference.applies(request))).toBe(true);
  });

  it.each(differences)("would fail without the entry for $kind", (difference) => {
    expect(findings(differences.filter((other) => other !== difference))).not.toEqual([]);
  });

  it("would fail with an entry that does not differ", () => {
    const stale: Difference = { ...(differences[0] as Difference), applies: ({ operation }) => operation.id === "getAllChains" };
    expect(findings([...differences, stale])).not.toEqual([]);
  });
});
