import type { Operation } from "../../../generated/operations.gen.ts";
import { examples } from "../../../generated/story-examples.gen.ts";

/** The values of the story by name. */
export type StoryValues = Readonly<Record<string, string>>;

/** The values of an operation's documented example, with story references resolved. */
export function exampleOf({ id }: Pick<Operation, "id">, storyValues: StoryValues): Readonly<Record<string, string>> {
  const values = examples[id];
  if (values === undefined) throw new Error(`No example for ${id}`);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const bound = value.startsWith("story:") ? storyValues[value.slice("story:".length)] : value;
      if (bound === undefined) throw new Error(`The example of ${id} refers to ${value}, which is not a story value`);
      return [name, bound];
    }),
  );
}

/** The request target of an operation with values by parameter name. */
export function targetOf({ path }: Operation, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([name]) => !path.includes(`{${name}}`)));
  const filled = path.replace(/\{([^}]+)\}/g, (_braces, name: string) => encodeURIComponent(values[name] ?? ""));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
