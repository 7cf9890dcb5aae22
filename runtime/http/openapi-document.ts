/** An OpenAPI document. */
export interface OpenApiDocument {
  readonly [name: string]: unknown;
}

export interface ExampleBinding {
  /** The values that `x-story` refers to by name. */
  readonly storyValues: Readonly<Record<string, string>>;
  /** The chain in examples; undefined for the documented one. */
  readonly chainName: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const chainParameters: readonly unknown[] = ["chainName", "chain-name"];

/** Converts a story value to the type of the parameter's schema. */
function valueFor(schema: unknown, text: string): unknown {
  const type = isJsonObject(schema) ? schema.type : undefined;
  if (type === "array") return text.split(",");
  return type === "integer" || type === "number" ? Number(text) : text;
}

function boundExample(parameter: JsonObject, { storyValues, chainName }: ExampleBinding): { readonly example: unknown } | undefined {
  const story = parameter["x-story"];
  if (typeof story === "string" && Object.hasOwn(storyValues, story))
    return { example: valueFor(parameter.schema, storyValues[story] ?? "") };
  const isChain = chainParameters.includes(parameter.name) && typeof parameter.in === "string";
  return isChain && chainName !== undefined ? { example: chainName } : undefined;
}

/** A document with real parameter examples: every `x-story` is replaced with its value. */
export function bindExamples(document: OpenApiDocument, binding: ExampleBinding): OpenApiDocument {
  const bind = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bind);
    if (!isJsonObject(value)) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bind(member)]));
    return { ...copy, ...boundExample(value, binding) };
  };
  return bind(document) as OpenApiDocument;
}

/** Serializes a document once; the returned function completes its text with a URL as its server. */
export function renderDocument(document: OpenApiDocument): (url: string) => Buffer {
  const { servers: _, ...others } = document;
  const members = Buffer.from(JSON.stringify(others).slice(0, -1));
  return (url) => Buffer.concat([members, Buffer.from(`,"servers":${JSON.stringify([{ url, description: "This server." }])}}`)]);
}
