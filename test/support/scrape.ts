/** A sample in a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Parses samples in the Prometheus text exposition format 0.0.4. @throws {Error} if a line is malformed */
export const parseScrape = (text: string): readonly Sample[] =>
  text
    .split("\n")
    .filter((found) => found !== "" && !found.startsWith("#"))
    .map((found) => {
      const [, name, labels = "", value] = line.exec(found) ?? [];
      if (name === undefined || value === undefined) throw new Error(`Malformed line: ${found}`);
      const pairs = Array.from(labels.matchAll(label), ([, key = "", content = ""]): [string, string] => [key, content]);
      return { name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value) };
    });

/** The types of a scrape's metrics, by name. */
export const typesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = "", type = ""]) => [name, type]));

/** Sums the samples with a name and labels. */
export const sumOf = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

/** Returns the metrics that a URL serves, as text. @throws {Error} if the status is not 200 */
export async function scrape(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`The scrape of ${url} failed with status ${response.status}.`);
  return response.text();
}
