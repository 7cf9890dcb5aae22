import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCatalog, readCatalogFiles } from "../../generator/catalog/load.ts";
import { buildModel } from "../../generator/model/build-model.ts";
import { readDocument } from "../support/document.ts";
import { createOpenApiValidator, type OpenApiValidator, type RequestOutcome } from "../support/openapi-validator.ts";
import { type Difference, differences } from "./differences.ts";
import { type RequestCase, requestCases, requestOf } from "./request-cases.ts";
import { createRequestCode } from "./request-code.ts";

interface ComparedRequest {
  readonly request: RequestCase;
  readonly generated: RequestOutcome;
  readonly validator: RequestOutcome;
}

const readRequest = createRequestCode();
let openApi: OpenApiValidator;
let comparedCases: readonly ComparedRequest[];
let examples: ReadonlyMap<Difference, ComparedRequest>;

beforeAll(async () => {
  const { catalog } = loadCatalog(await readCatalogFiles("spec"));
  if (catalog === null) throw new Error("Invalid catalog: see npm run generate.");
  const model = buildModel(catalog, new Map());
  openApi = await createOpenApiValidator(await readDocument());
  const compare = async (request: RequestCase): Promise<ComparedRequest> => {
    const [generated, validator] = await Promise.all([readRequest(request.target), openApi.request(request.target)]);
    return { request, generated, validator };
  };
  const compareAll = async (requests: readonly RequestCase[]): Promise<ComparedRequest[]> => {
    const results: ComparedRequest[] = [];
    for (const request of requests) results.push(await compare(request));
    return results;
  };
  comparedCases = await compareAll(requestCases(model));
  const exampleRequests = differences.map(({ example: { operation: id, ...changes } }) => {
    const operation = model.operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`Unknown operation ${id}.`);
    return requestOf(operation, changes);
  });
  const comparedExamples = await compareAll(exampleRequests);
  examples = new Map(
    differences.flatMap((difference, index) => {
      const example = comparedExamples[index];
      return example === undefined ? [] : [[difference, example] as const];
    }),
  );
});

afterAll(() => openApi?.close());

/** Whether the results are equal: accepted for the same operation, or rejected for the same parameters. */
function agree({ generated, validator }: ComparedRequest): boolean {
  if (generated.accepted || validator.accepted)
    return generated.accepted && validator.accepted && generated.operation === validator.operation;
  return generated.status === validator.status && generated.invalidParameters.join() === validator.invalidParameters.join();
}

function differsAs({ generated }: Difference, compared: ComparedRequest): boolean {
  return compared.generated.accepted === (generated === "accepts") && compared.validator.accepted === (generated === "rejects");
}

/** Different results that the table does not list, and equal results that the table lists as differences. */
function mismatches(table: readonly Difference[]): string[] {
  return comparedCases.flatMap((compared) => {
    const entries = table.filter(({ applies }) => applies(compared.request));
    const matches = agree(compared) ? entries.length === 0 : entries.length > 0 && entries.every((entry) => differsAs(entry, compared));
    if (matches) return [];
    const outcomes = [compared.generated, compared.validator].map((outcome) =>
      outcome.accepted ? `accepts as ${outcome.operation}` : `rejects: ${outcome.message}`,
    );
    return [
      `${compared.request.target}\n  generated ${outcomes[0]}\n  validator ${outcomes[1]}\n  table: ${entries.map(({ kind }) => kind).join(", ") || "nothing"}`,
    ];
  });
}

describe("the generated request code and express-openapi-validator", () => {
  it("accept and reject more than 1000 requests each, and accept at least one request for every operation", () => {
    const agreed = comparedCases.filter(agree);
    expect(agreed.filter(({ generated }) => generated.accepted).length).toBeGreaterThan(1000);
    expect(agreed.filter(({ generated }) => !generated.accepted).length).toBeGreaterThan(1000);
    expect(new Set(agreed.flatMap(({ generated }) => (generated.accepted ? [generated.operation] : []))).size).toBe(
      new Set(comparedCases.map(({ request }) => request.operation.id)).size,
    );
  });

  it("agree on every request's operation and invalid parameters, except for the listed differences", () => {
    expect(mismatches(differences).slice(0, 20)).toEqual([]);
  });

  it.each(differences)("still differ for $kind", (difference) => {
    const example = examples.get(difference);
    expect(example).toBeDefined();
    if (example === undefined) return;
    expect(difference.applies(example.request)).toBe(true);
    expect(example.generated.accepted, JSON.stringify(example)).toBe(difference.generated === "accepts");
    expect(example.validator.accepted, JSON.stringify(example)).toBe(difference.generated === "rejects");
    expect(comparedCases.some(({ request }) => difference.applies(request))).toBe(true);
  });

  it.each(differences)("have unlisted differences without the entry for $kind", (difference) => {
    expect(mismatches(differences.filter((other) => other !== difference))).not.toEqual([]);
  });

  it("report a listed difference that no longer exists", () => {
    const outdated: Difference = { ...(differences[0] as Difference), applies: ({ operation }) => operation.id === "getAllChains" };
    expect(mismatches([...differences, outdated])).not.toEqual([]);
  });
});
