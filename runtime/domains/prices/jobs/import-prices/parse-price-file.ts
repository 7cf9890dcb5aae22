import { parse } from "csv-parse/sync";
import type { Currency } from "../../../../../generated/requests.gen.ts";
import { type Address, nativeTokenAddress } from "../../../../lib/hex.ts";
import { escapeTerminal } from "../../../../lib/terminal-text.ts";
import { type Asset, currencyAsset } from "../../engine/assets.ts";

/** A line of a price file: US dollars for one whole unit from a time on; a null price means unknown from then on. */
export interface FilePrice {
  readonly asset: Asset;
  /** Unix seconds. */
  readonly since: number;
  readonly price: string | null;
}

/** An invalid price file; the message lists the first issues. */
export class PriceFileError extends Error {
  override readonly name = "PriceFileError";
}

const maxListedIssues = 20;
const expected =
  "a CSV file with the header asset,time,price: an address, native or a currency code; YYYY-MM-DD, an ISO 8601 time in UTC or unix seconds; " +
  "US dollars for one whole unit as a decimal number, or nothing for an unknown price";

/** Parses the prices of a file (CSV, RFC 4180). @throws {PriceFileError} if any line is invalid. */
export function parsePriceFile(file: string, text: string, currencies: readonly Currency[]): FilePrice[] {
  const prices: FilePrice[] = [];
  const issues: string[] = [];
  const seen = new Map<string, number>();
  for (const { record, line } of recordsOf(file, text)) {
    const price = priceOf(record, currencies);
    const key = typeof price === "string" ? "" : `${price.asset}@${price.since}`;
    const duplicate = seen.get(key);
    if (typeof price === "string") issues.push(`${file}:${line}: ${price}`);
    else if (duplicate !== undefined) issues.push(`${file}:${line}: Duplicate of line ${duplicate}: ${record.asset} at ${record.time}.`);
    else {
      seen.set(key, line);
      prices.push(price);
    }
  }
  if (issues.length > maxListedIssues)
    issues.splice(maxListedIssues, Number.POSITIVE_INFINITY, `… and ${issues.length - maxListedIssues} more.`);
  if (issues.length > 0) throw new PriceFileError(`${issues.join("\n")}\nExpected ${expected}.`);
  return prices;
}

interface Line {
  readonly record: Readonly<Record<"asset" | "time" | "price", string | undefined>>;
  readonly line: number;
}

function recordsOf(file: string, text: string): Line[] {
  try {
    const rows = parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, info: true }) as unknown as {
      record: string[];
      info: { lines: number };
    }[];
    const [header, ...lines] = rows;
    const names = header?.record.map((name) => name.toLowerCase());
    if (names?.join() !== "asset,time,price")
      throw new PriceFileError(`${file}:1: Invalid header ${renderShort(header?.record.join())}: expected ${expected}.`);
    return lines.map(({ record: [asset, time, price], info }) => ({ record: { asset, time, price }, line: info.lines }));
  } catch (error) {
    if (error instanceof PriceFileError) throw error;
    throw new PriceFileError(
      `${file}: ${error instanceof Error ? escapeTerminal(error.message) : "The file cannot be parsed."} Expected ${expected}.`,
    );
  }
}

/** The price of a line, or a message about its first issue. */
function priceOf({ asset, time, price }: Line["record"], currencies: readonly Currency[]): FilePrice | string {
  const key = assetOf(asset ?? "", currencies);
  if (key === null) return `Invalid asset ${renderShort(asset)}: expected an address, native or one of ${currencies.join(", ")}.`;
  const since = timeOf(time ?? "");
  if (since === null) return `Invalid time ${renderShort(time)}: expected YYYY-MM-DD, an ISO 8601 time in UTC or unix seconds.`;
  if (price === undefined || !/^(\d{1,60}(\.\d{1,60})?)?$/.test(price) || /^0+(\.0+)?$/.test(price))
    return `Invalid price ${renderShort(price)}: expected a decimal number above zero, or an empty field.`;
  return { asset: key, since, price: price === "" ? null : price };
}

function assetOf(text: string, currencies: readonly Currency[]): Asset | null {
  if (text.toLowerCase() === "native") return nativeTokenAddress;
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase() as Address;
  const currency = currencies.find((code) => code === text.toUpperCase());
  return currency === undefined ? null : currencyAsset(currency);
}

/** The end of the year 9999. */
const lastSecond = 253_402_300_799;

function timeOf(text: string): number | null {
  const seconds = /^\d{1,12}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d$/.test(text)
      ? Date.parse(`${text}T00:00:00Z`) / 1000
      : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text)
        ? Date.parse(text) / 1000
        : Number.NaN;
  if (!Number.isSafeInteger(seconds) || seconds > lastSecond) return null;
  // Date.parse rolls a nonexistent day such as February 30 over to the next month.
  return text.includes("-") && new Date(seconds * 1000).toISOString().slice(0, 10) !== text.slice(0, 10) ? null : seconds;
}

const renderShort = (text: string | undefined): string => (text === undefined ? "nothing" : JSON.stringify(text.slice(0, 100)));
