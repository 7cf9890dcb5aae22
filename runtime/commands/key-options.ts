import { parseNetwork, parseOrigin } from "../http/key-access.ts";
import { invalidValue } from "./option-values.ts";

const timePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The value of `--expires`: a time with its offset, or a day, at whose start in UTC the key expires. */
export function parseExpiry(text: string): Date {
  const time = new Date(text);
  const day = text.slice(0, 10);
  if (timePattern.test(text) && !Number.isNaN(time.getTime()) && isDay(day)) return time;
  throw invalidValue("--expires", text, "a time such as 2027-01-31T12:00:00Z, or a day such as 2027-01-31");
}

/** Whether a day exists; Date accepts February 31 as March 3. */
const isDay = (day: string): boolean => new Date(day).toISOString().startsWith(day);

/** The value of `--expires` for an existing key. */
export const parseExpiryOrNever = (text: string): Date | "never" => (text === "never" ? text : parseExpiry(text));

/** Collects the values of a repeatable option; `any` resets them to an empty list, which allows everything. */
const createRuleParser =
  (parse: (text: string) => string) =>
  (text: string, earlier: readonly string[] = []): readonly string[] =>
    text === "any" ? [] : [...earlier, parse(text)];

/** The chains of `--allow-chain`, by name or id. */
export const parseChains = createRuleParser((text) => {
  if (/^[a-z0-9][a-z0-9-]*$/.test(text)) return text;
  throw invalidValue("--allow-chain", text, "the name or id of a chain, or any");
});

/** The origins of `--allow-origin`, as browsers send them. */
export const parseOrigins = createRuleParser((text) => {
  const origin = parseOrigin(text);
  if (origin !== null) return origin;
  throw invalidValue("--allow-origin", text, "an origin such as https://app.example.com, or any");
});

/** The addresses and networks of `--allow-address`. */
export const parseNetworks = createRuleParser((text) => {
  try {
    parseNetwork(text);
    return text;
  } catch {
    throw invalidValue("--allow-address", text, "an IP address, a network such as 10.0.0.0/8, or any");
  }
});
