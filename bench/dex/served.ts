import type { BenchServing } from "../support/serving.ts";
import type { EndpointCase, Variant } from "./endpoint-cases.ts";

/** What the answers to one kind of question took. */
export interface VariantTimes {
  readonly name: string;
  /** Milliseconds, in order of size. */
  readonly milliseconds: readonly number[];
  readonly bytes: number;
}

export interface EndpointTimes {
  readonly endpoint: EndpointCase;
  readonly variants: readonly VariantTimes[];
}

/** Of endpoints without lists, one item. */
const leastItems = 1;
/** The first ones bring the pages into memory, and open the connections. */
const warmUp = 3;

/** Asks every endpoint so many times a variant. The clock stops when the whole answer is there. @throws where one has no items. */
export async function measureEndpoints(serving: BenchServing, cases: readonly EndpointCase[], times: number): Promise<EndpointTimes[]> {
  const measured: EndpointTimes[] = [];
  for (const endpoint of cases) {
    const variants: VariantTimes[] = [];
    for (const variant of endpoint.variants) variants.push(await measureVariant(serving, endpoint, variant, times));
    measured.push({ endpoint, variants });
  }
  return measured;
}

async function measureVariant(
  serving: BenchServing,
  { row }: EndpointCase,
  { name, paths }: Variant,
  times: number,
): Promise<VariantTimes> {
  const milliseconds: number[] = [];
  let bytes = 0;
  for (let time = -Math.max(warmUp, paths.length); time < times; time += 1) {
    const path = paths[(time + paths.length) % paths.length] ?? "";
    const started = performance.now();
    const text = await serving.get(path);
    if (time >= 0) {
      milliseconds.push(performance.now() - started);
      bytes = Math.max(bytes, text.length);
      continue;
    }
    const { data } = JSON.parse(text) as { readonly data?: { readonly items?: readonly unknown[] } };
    if ((data?.items?.length ?? 0) < leastItems) throw new Error(`Row ${row}, ${name}: ${path} has no items.`);
  }
  return { name, milliseconds: milliseconds.sort((left, right) => left - right), bytes };
}
