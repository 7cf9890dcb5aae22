/** As much of an OpenAPI document as is changed here. */
export interface OpenApiDocument {
  readonly [name: string]: unknown;
}

export interface Binding {
  /** What the names of the demo's story stand for. */
  readonly cast: Readonly<Record<string, string>>;
  /** The chain that examples ask about; the documented one where there is none. */
  readonly chainName: string | undefined;
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);
const chainParameters: readonly unknown[] = ["chainName", "chain-name"];

/** A value of the story in the form that the parameter's schema has. */
function valueFor(schema: unknown, text: string): unknown {
  const type = isNode(schema) ? schema.type : undefined;
  if (type === "array") return text.split(",");
  return type === "integer" || type === "number" ? Number(text) : text;
}

function boundExample(parameter: Node, { cast, chainName }: Binding): { readonly example: unknown } | undefined {
  const story = parameter["x-story"];
  if (typeof story === "string" && Object.hasOwn(cast, story)) return { example: valueFor(parameter.schema, cast[story] ?? "") };
  const isChain = chainParameters.includes(parameter.name) && typeof parameter.in === "string";
  return isChain && chainName !== undefined ? { example: chainName } : undefined;
}

/** A document whose parameter examples are things that happened: every `x-story` is replaced by what it stands for. */
export function bindExamples(document: OpenApiDocument, binding: Binding): OpenApiDocument {
  const bind = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bind);
    if (!isNode(value)) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bind(member)]));
    return { ...copy, ...boundExample(value, binding) };
  };
  return bind(document) as OpenApiDocument;
}

/** A document that names the address under which it was asked for. */
export const withServer = (document: OpenApiDocument, url: string): OpenApiDocument => ({
  ...document,
  servers: [{ url, description: "This server." }],
});
