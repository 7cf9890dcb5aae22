/** A number in a response, with the text that a node prints: amounts have eight decimals. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An amount as Bitcoin Core prints it. */
export const btcAmount = (satoshi: bigint): NumberText =>
  new NumberText(`${satoshi / 10n ** 8n}.${String(satoshi % 10n ** 8n).padStart(8, "0")}`);

/** Renders JSON, with each NumberText as its text. */
export function renderJson(value: unknown): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map((item: unknown) => renderJson(item)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${renderJson(field)}`).join(",")}}`;
}
