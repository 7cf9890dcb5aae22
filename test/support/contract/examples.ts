import type { Operation } from "../../../generated/operations.gen.ts";
import { examples } from "../../../generated/story-examples.gen.ts";

/** The story values by name. */
export type StoryValues = Readonly<Record<string, string>>;

/** The values in an operation's documented example, with story references resolved. */
export function exampleOf({ id }: Pick<Operation, "id">, storyValues: StoryValues): Readonly<Record<string, string>> {
  const values = examples[id];
  if (values === undefined) throw new Error(`Missing example of ${id}.`);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const resolved = value.startsWith("story:") ? storyValues[value.slice("story:".length)] : value;
      if (resolved === undefined) throw new Error(`Unknown story value ${value} in the example of ${id}.`);
      return [name, resolved];
    }),
  );
}

/** An operation's request target, from values by parameter name. */
export function targetOf({ path }: Operation, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([name]) => !path.includes(`{${name}}`)));
  const filled = path.replace(/\{([^}]+)\}/g, (_braces, name: string) => encodeURIComponent(values[name] ?? ""));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
