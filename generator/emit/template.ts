import { readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { catalogHeader } from "./header.ts";

const handlebars = Handlebars.create();

/**
 * Compiles a template by name. Templates are part of the program: each is read once, when the module that uses it is loaded,
 * so that emitting does no I/O.
 */
export function compileTemplate<View extends object>(name: string): (view: View) => string {
  const source = readFileSync(new URL(`./templates/${name}.hbs`, import.meta.url), "utf8");
  // The output is code, not HTML, so nothing is escaped. Strict mode throws for names that the view lacks, which would be bugs of the emitter.
  const render = handlebars.compile<View & { generated: string }>(source, { noEscape: true, strict: true });
  return (view) => render({ ...view, generated: catalogHeader });
}

/** Escapes text for a block comment. */
export function commentText(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim();
}

/** Renders a value as a TypeScript literal. */
export function literal(value: unknown): string {
  return JSON.stringify(value);
}

/** Renders strings or numbers as an array literal on one line. */
export function listLiteral(values: readonly (string | number)[]): string {
  return `[${values.map(literal).join(", ")}]`;
}

/** Renders an object literal on one line, with unquoted keys if possible: `{ minimum: 1, maximum: 1000 }`. */
export function objectLiteral(entries: Readonly<Record<string, string>>): string {
  const properties = Object.entries(entries).map(([key, value]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key)}: ${value}`);
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}
