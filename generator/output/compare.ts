import { compareText } from "../model/names.ts";

/** The difference between a file on disk and the generated file. */
type Difference =
  | { readonly kind: "line"; readonly path: string; readonly line: number; readonly expected: string | null; readonly found: string | null }
  | { readonly kind: "missing"; readonly path: string }
  | { readonly kind: "extra"; readonly path: string };

/** The files that differ, each with its first different line. */
export function compareFiles(expected: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): Difference[] {
  const paths = [...new Set([...expected.keys(), ...found.keys()])].sort(compareText);
  return paths.flatMap((path): Difference[] => {
    const expectedText = expected.get(path);
    const foundText = found.get(path);
    if (expectedText === foundText) return [];
    if (foundText === undefined) return [{ kind: "missing", path }];
    if (expectedText === undefined) return [{ kind: "extra", path }];
    return [firstDifference(path, expectedText.split("\n"), foundText.split("\n"))];
  });
}

function firstDifference(path: string, expected: readonly string[], found: readonly string[]): Difference {
  let index = 0;
  while (index < expected.length && expected[index] === found[index]) index += 1;
  return { kind: "line", path, line: index + 1, expected: expected[index] ?? null, found: found[index] ?? null };
}

const maxShownLength = 160;

/** Renders a difference on one line: `generated/routes.gen.ts:12: expected "…", found "…"`. */
export function renderDifference(difference: Difference): string {
  if (difference.kind === "missing") return `${difference.path}: missing`;
  if (difference.kind === "extra") return `${difference.path}: not generated from this catalog`;
  const [expected, found] = excerpts(difference.expected, difference.found);
  return `${difference.path}:${difference.line}: expected ${expected}, found ${found}`;
}

/** Returns excerpts of both lines that start shortly before the first difference, so that it is visible in long lines. */
function excerpts(expected: string | null, found: string | null): [string, string] {
  let common = 0;
  while (expected !== null && found !== null && common < expected.length && expected[common] === found[common]) common += 1;
  const start = Math.max(0, common - maxShownLength / 2);
  const excerpt = (line: string | null): string => {
    if (line === null) return "the end of the file";
    const text = line.slice(start, start + maxShownLength);
    return JSON.stringify(`${start > 0 ? "…" : ""}${text}${start + maxShownLength < line.length ? "…" : ""}`);
  };
  return [excerpt(expected), excerpt(found)];
}
