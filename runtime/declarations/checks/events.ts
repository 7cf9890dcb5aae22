import { columnTypeOfParameter, storableTypesText } from "../abi/column-type.ts";
import { parseEvent } from "../abi/signature.ts";
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import type { EventSignature } from "../protocol.ts";
import type { Checked } from "./declaration.ts";

const example = "Transfer(address indexed from, address indexed to, uint256 value)";
/** A log has four topics, and the first one identifies the event. */
const maxIndexed = 3;

/** Parses the signature of an event; null if it cannot be used. */
export function checkEvent(text: string, location: SourceLocation): Checked<EventSignature | null> {
  const parsed = parseEvent(text);
  if (!parsed.ok) {
    return { value: null, diagnostics: [diagnostic("signature-syntax", location, { text, problem: parsed.problem, example })] };
  }
  const { parameters } = parsed.value;
  const indexed = parameters.filter((parameter) => parameter.indexed).length;
  const diagnostics: Diagnostic[] = [
    ...(indexed > maxIndexed ? [diagnostic("indexed-parameters", location, { count: indexed })] : []),
    ...parameters.flatMap((parameter, index) => checkParameter(parameter, index + 1, location)),
  ];
  return { value: diagnostics.length === 0 ? parsed.value : null, diagnostics };
}

function checkParameter(parameter: EventSignature["parameters"][number], number: number, location: SourceLocation): Diagnostic[] {
  if (parameter.name === "") return [diagnostic("unnamed-parameter", location, { subject: `parameter ${number} of the event` })];
  if (columnTypeOfParameter(parameter) !== null) return [];
  const subject = `the parameter ${JSON.stringify(parameter.name)}`;
  return [diagnostic("unsupported-type", location, { subject, type: parameter.type, expected: storableTypesText })];
}
