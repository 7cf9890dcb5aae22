import { readdir, readFile } from "node:fs/promises";

/** One of the program's log messages, with `…` in place of each part that depends on the event. */
export interface LoggedEvent {
  readonly level: string;
  readonly message: string;
}

const runtime = new URL("../../runtime/", import.meta.url);
const call = /\blogger\??\.(debug|info|warn|error)\(/g;

/** Returns the text from a position within brackets to the bracket that closes them. */
function untilClosed(text: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0 && end < text.length) {
    const character = text.charAt(end);
    if ("([{".includes(character)) depth += 1;
    if (")]}".includes(character)) depth -= 1;
    end += 1;
  }
  return text.slice(start, end - 1);
}

/** Replaces each expression of a template, with any templates nested in it, by `…`. */
function withoutExpressions(text: string): string {
  const start = text.indexOf("${");
  if (start < 0) return text;
  const expression = untilClosed(text, start + 2);
  return `${text.slice(0, start)}…${withoutExpressions(text.slice(start + expression.length + 3))}`;
}

/** The messages in logger calls in runtime/. Calls with a variable as the message are skipped. */
export async function loggedEvents(): Promise<readonly LoggedEvent[]> {
  const names = (await readdir(runtime, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, runtime), "utf8")));
  return texts.flatMap((text) =>
    Array.from(text.matchAll(call)).flatMap(({ 0: found, 1: level = "", index }) => {
      const written = withoutExpressions(untilClosed(text, index + found.length))
        .trim()
        .replace(/,$/, "");
      const message = /(?:^|[,\n]\s*)["`]([^"`]+)["`]$/.exec(written)?.[1];
      return message === undefined ? [] : [{ level, message }];
    }),
  );
}
