import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { config } from "./config.ts";

/** The names of the settings that a section may have, in the order of their declaration; none where it has no fixed ones. */
export function knownSettings(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = config;
  for (const step of path) {
    const section = bare(schema);
    if (section instanceof z.ZodArray) schema = section.element;
    else if (section instanceof z.ZodObject) schema = (section.shape as Record<PropertyKey, unknown>)[step];
    else return [];
  }
  const section = bare(schema);
  return section instanceof z.ZodObject ? Object.keys(section.shape) : [];
}

function bare(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? bare(schema.unwrap()) : schema;
}

/** The name that is spelt most like another; null where none is near enough to be meant. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let nearest: { readonly name: string; readonly far: number } | null = null;
  for (const candidate of known) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase());
    if (nearest === null || far < nearest.far) nearest = { name: candidate, far };
  }
  // With more than a third of its letters different it is another word.
  return nearest !== null && nearest.far <= Math.max(2, Math.floor(name.length / 3)) ? nearest.name : null;
}
