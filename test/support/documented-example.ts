import { readFile } from "node:fs/promises";

/** Returns the first code block on a page of `docs/` with a given language and first line. @throws {Error} if there is none */
export async function documentedExample(page: string, language: string, firstLine = ""): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code);
  const found = blocks.find((code) => code.startsWith(firstLine));
  if (found === undefined) throw new Error(`docs/${page} has no example in ${language} that starts with ${JSON.stringify(firstLine)}.`);
  return found;
}

/** Replaces text that an operator would replace. @throws {Error} if the example does not contain it */
export function adapt(example: string, replacements: Readonly<Record<string, string>>): string {
  let adapted = example;
  for (const [text, replacement] of Object.entries(replacements)) {
    if (!adapted.includes(text)) throw new Error(`The example does not contain ${JSON.stringify(text)}.`);
    adapted = adapted.replaceAll(text, replacement);
  }
  return adapted;
}
