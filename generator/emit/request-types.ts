import type { Parameter } from "../model/model.ts";
import { listLiteral, literal, objectLiteral } from "./template.ts";

const types: Record<Exclude<Parameter["type"], "choice">, string> = {
  chain: "Chain",
  address: "Hex",
  addressList: "readonly Hex[]",
  bitcoinAddress: "Hex",
  hash: "Hex",
  topicList: "readonly Hex[]",
  height: 'number | "latest"',
  block: 'number | "earliest" | "latest"',
  date: "string",
  dateOrLatest: "string",
  integer: "number",
  boolean: "boolean",
  currency: "Currency",
  text: "string",
  textList: "readonly string[]",
  tokenId: "bigint",
};

/** The TypeScript type of a parsed parameter. */
export function requestType(parameter: Parameter): string {
  const type = parameter.type === "choice" ? choices(parameter) : types[parameter.type];
  return parameter.required || parameter.default !== null ? type : `${type} | null`;
}

const choices = (parameter: Parameter): string => (parameter.values ?? []).map(literal).join(" | ");

/** The default as the parser would return it: heights become numbers, keywords remain strings. */
export function defaultLiteral(parameter: Parameter): string {
  const value = parameter.default;
  const isHeight = parameter.type === "block" || parameter.type === "height";
  return literal(isHeight && typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
}

/** The code of a parameter's parser. */
export function parserOf(parameter: Parameter): string {
  if (parameter.name === "page-size") return `(text) => (csv ? parsers.integer(text, csvPageSizeBounds) : ${parserCall(parameter)})`;
  return `(text) => ${parserCall(parameter)}`;
}

function parserCall(parameter: Parameter): string {
  switch (parameter.type) {
    case "choice":
      // Without the type argument, the union of values would be widened to string.
      return `oneOf<${choices(parameter)}>(parsers, text, ${listLiteral(parameter.values ?? [])})`;
    case "text":
      return parameter.maximum === null ? "parsers.text(text)" : `boundedText(parsers, text, ${parameter.maximum})`;
    // `parsers` depends on the kind of the chain; operations with the same handler share a request type, so both kinds of addresses have the same parser.
    case "bitcoinAddress":
      return "parsers.address(text)";
    case "integer":
      return parameter.sizes === null
        ? `parsers.integer(text, ${bounds(parameter)})`
        : `listedSize(parsers, text, ${listLiteral(parameter.sizes)})`;
    case "addressList":
    case "topicList":
    case "textList":
      return `parsers.${parameter.type}(text, ${parameter.maxItems === null ? "{}" : `{ maxItems: ${parameter.maxItems} }`})`;
    default:
      return `parsers.${parameter.type}(text)`;
  }
}

function bounds(parameter: Parameter): string {
  return objectLiteral({
    ...(parameter.minimum === null ? {} : { minimum: String(parameter.minimum) }),
    ...(parameter.maximum === null ? {} : { maximum: String(parameter.maximum) }),
  });
}

/** Whether a parameter is an address, or a list of addresses, of any kind of chain. */
export const isAddressParameter = ({ type }: Parameter): boolean =>
  type === "address" || type === "addressList" || type === "bitcoinAddress";

/** Code of the expected value in the error for a missing query parameter. */
export const requiredText = (parameter: Parameter): string =>
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is emitted as code.
  isAddressParameter(parameter) ? "`${parsers.addressExpected} (required)`" : literal("a value (required)");
