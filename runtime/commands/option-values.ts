import { type KeyLimits, keyLimitFields } from "../config/key-limits.ts";
import type { LimitChanges } from "../http/keys.ts";
import type { Address } from "../lib/hex.ts";
import { CommandError } from "./command-error.ts";

/** Parses a command-line option or argument value. @throws {CommandError} if it is invalid. */
type ParseValue<T> = (text: string) => T;

/** The error for an invalid option or argument value. */
export const invalidValue = (name: string, value: string | number, expected: string): CommandError =>
  new CommandError(`Invalid value ${JSON.stringify(value)} for ${name}: expected ${expected}.`);

export const parseInteger =
  (name: string, max = Number.MAX_SAFE_INTEGER): ParseValue<number> =>
  (text) => {
    if (/^(0|[1-9]\d*)$/.test(text) && Number(text) <= max) return Number(text);
    throw invalidValue(name, text, `an integer from 0 to ${max}`);
  };

/** Each job uses a connection. */
const maxJobs = 32;

/** The value of `--jobs`. */
export const parseJobs: ParseValue<number> = (text) => {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= maxJobs) return Number(text);
  throw invalidValue("--jobs", text, `an integer from 1 to ${maxJobs}`);
};

/** Credits are stored in hundredths, which must be safe integers. */
export const parseCredits = (name: string): ParseValue<number> => parseInteger(name, Math.floor(Number.MAX_SAFE_INTEGER / 100));

export const parseAddress =
  (name: string): ParseValue<Address> =>
  (text) => {
    if (/^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase() as Address;
    throw invalidValue(name, text, "an address (0x followed by 40 hex digits)");
  };

export const parseTokenId =
  (name: string): ParseValue<string> =>
  (text) => {
    if (/^(0|[1-9]\d{0,77})$/.test(text) && BigInt(text) < 2n ** 256n) return text;
    throw invalidValue(name, text, "an integer from 0 to 2^256 - 1");
  };

/** Collects the addresses of a repeatable option. */
export const parseAddresses =
  (name: string) =>
  (text: string, earlier: readonly Address[] = []): readonly Address[] => [...earlier, parseAddress(name)(text)];

/** The value of `--workers`, which the configuration checks. */
export const parseWorkers: ParseValue<number | string> = (text) => (/^\d+$/.test(text) ? Number(text) : text);

/** Collects the limits of a repeatable option `name=value`; `default` means the configured limit. */
export const parseLimits =
  (name: string) =>
  (text: string, earlier: LimitChanges = {}): LimitChanges => {
    const [limit = "", value = ""] = text.split(/=(.*)/s);
    if (!isLimitName(limit)) throw invalidValue(name, text, `NAME=VALUE with one of the names ${Object.keys(keyLimitFields).join(", ")}`);
    if (value === "default") return { ...earlier, [limit]: value };
    const parsed = keyLimitFields[limit].safeParse(/^\d+(\.\d+)?$/.test(value) ? Number(value) : value);
    if (!parsed.success) throw invalidValue(`${name} ${limit}`, value, "a positive number, unlimited or default");
    return { ...earlier, [limit]: parsed.data };
  };

const isLimitName = (name: string): name is keyof KeyLimits => Object.hasOwn(keyLimitFields, name);

/** A number of credits, or `unlimited`. */
export const parseCreditsOrUnlimited =
  (name: string): ParseValue<number | "unlimited"> =>
  (text) =>
    text === "unlimited" ? text : parseCredits(name)(text);
