import { readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { generatedSentence } from "./header.ts";

const handlebars = Handlebars.create();

/**
 * Compiles the template of that name. Templates are part of the program: each is read once, when the module that uses it is loaded,
 * so that emitting does no I/O.
 */
export function template<View extends object>(name: string): (view: View) => string {
  const source = readFileSync(new URL(`./templates/${name}.hbs`, import.meta.url), "utf8");
  // The output is code, not HTML; a name missing from the view is a fault of the emitter.
  const render = handlebars.compile<View & { generated: string }>(source, { noEscape: true, strict: true });
  return (view) => render({ ...view, generated: generatedSentence });
}

/** Escapes a text for a block comment. */
export function commentText(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim();
}

/** A value as a TypeScript literal. */
export function literal(value: unknown): string {
  return JSON.stringify(value);
}

/** A list of strings or numbers as a one-line literal. */
export function listLiteral(values: readonly (string | number)[]): string {
  return `[${values.map(literal).join(", ")}]`;
}

/** An object literal on one line, keys unquoted where possible: `{ minimum: 1, maximum: 1000 }`. */
export function objectLiteral(entries: Readonly<Record<string, string>>): string {
  const inside = Object.entries(entries).map(([key, value]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key)}: ${value}`);
  return inside.length === 0 ? "{}" : `{ ${inside.join(", ")} }`;
}
