import { readFile } from "node:fs/promises";

const files = ["prometheus/ashlar.rules.yaml", "grafana/ashlar.json"];
/** Recording rule names contain colons and do not match. */
const metricName = /(?<![\w:$])(?:ashlar|nodejs|process)_[a-z0-9_]+(?![\w:(])/g;

/** The metrics that the rules and the dashboard in deploy/ use, by file. */
export const namedMetrics = (): Promise<readonly { readonly file: string; readonly names: readonly string[] }[]> =>
  Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
      return { file, names: [...new Set(text.match(metricName) ?? [])].sort() };
    }),
  );
