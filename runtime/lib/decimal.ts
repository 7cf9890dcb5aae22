/** An exact decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Significant digits of quotients and roots. */
const significantDigits = 40;

const numericPattern = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Parses the text of a PostgreSQL `numeric`. @throws {RangeError} if the text is anything else. */
export function parseDecimal(text: string): Decimal {
  const parts = numericPattern.exec(text);
  if (parts === null) throw new RangeError(`Invalid decimal number ${JSON.stringify(text.slice(0, 100))}.`);
  const [, sign = "", integer = "", fraction = ""] = parts;
  return { digits: BigInt(`${sign}${integer}${fraction}`), scale: fraction.length };
}

const powersOfTen = Array.from({ length: 128 }, (_, exponent) => 10n ** BigInt(exponent));
/** Ten to a power. */
export const powerOfTen = (exponent: number): bigint => powersOfTen[exponent] ?? 10n ** BigInt(exponent);

/** An integer divided by a power of ten. */
export const decimal = (digits: bigint, scale = 0): Decimal => ({ digits, scale });

export const multiply = (left: Decimal, right: Decimal): Decimal => ({
  digits: left.digits * right.digits,
  scale: left.scale + right.scale,
});

/** The number times ten to a power. */
export const shift = ({ digits, scale }: Decimal, power: number): Decimal => ({ digits, scale: scale - power });

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { digits: digitsAt(left, scale) + digitsAt(right, scale), scale };
}

/** Negative if the left number is less, positive if it is greater, 0 if both are equal. */
export function compare(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const [first, second] = [digitsAt(left, scale), digitsAt(right, scale)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The quotient, truncated to 40 significant digits. @throws {RangeError} if the divisor is 0. */
export function divide(left: Decimal, right: Decimal): Decimal {
  // Enough digits for a quotient of at least 40 digits.
  const more = Math.max(0, significantDigits + 2 + lengthOf(right.digits) - lengthOf(left.digits));
  return truncate({ digits: (left.digits * powerOfTen(more)) / right.digits, scale: left.scale + more - right.scale });
}

/** The square root, truncated to 40 significant digits. @throws {RangeError} if the number is negative. */
export function squareRoot({ digits, scale }: Decimal): Decimal {
  if (digits < 0n) throw new RangeError("A negative number has no square root.");
  let more = Math.max(0, 2 * significantDigits + 1 - lengthOf(digits));
  // The scale must be even.
  if ((scale + more) % 2 !== 0) more += 1;
  return truncate({ digits: integerRoot(digits * powerOfTen(more)), scale: (scale + more) / 2 });
}

/** The number truncated to 40 significant digits, without trailing zeros. */
export function truncate({ digits, scale }: Decimal): Decimal {
  if (digits === 0n) return { digits: 0n, scale: 0 };
  let text = digits.toString();
  const sign = text.startsWith("-") ? 1 : 0;
  let kept = Math.min(text.length, significantDigits + sign);
  while (text[kept - 1] === "0") kept -= 1;
  const dropped = text.length - kept;
  text = text.slice(0, kept);
  return { digits: BigInt(text), scale: scale - dropped };
}

/** The number rounded to a number of significant digits (half away from zero). */
export function rounded({ digits, scale }: Decimal, precision: number): Decimal {
  const absolute = digits < 0n ? -digits : digits;
  if (absolute < powerOfTen(precision)) return { digits, scale };
  const dropped = absolute.toString().length - precision;
  const unit = powerOfTen(dropped);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return { digits: (digits + half) / unit, scale: scale - dropped };
}

/** The nearest floating-point number; only for responses. */
export const toNumber = ({ digits, scale }: Decimal): number => Number(`${digits}e${-scale}`);

/** The number as PostgreSQL `numeric` text, without an exponent. */
export function toText({ digits, scale }: Decimal): string {
  if (scale <= 0) return (digits * powerOfTen(-scale)).toString();
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** The number in hundredths, truncated. */
export const wholeHundredths = ({ digits, scale }: Decimal): bigint =>
  scale <= 2 ? digits * powerOfTen(2 - scale) : digits / powerOfTen(scale - 2);

const digitsAt = ({ digits, scale }: Decimal, newScale: number): bigint =>
  newScale === scale ? digits : digits * powerOfTen(newScale - scale);

/** The number of digits, plus or minus one, estimated from the hexadecimal representation, which is faster to produce. */
const lengthOf = (digits: bigint): number => Math.round((digits < 0n ? -digits : digits).toString(16).length * 1.2041);

/** The largest integer whose square is at most `square` (Newton's method from above, starting from a floating-point estimate). */
function integerRoot(square: bigint): bigint {
  if (square < 2n) return square;
  // Drops an even number of low bits, so that the remaining bits fit a floating-point number precisely enough.
  const low = BigInt(Math.max(0, square.toString(16).length * 4 - 104) & ~1);
  let root = (BigInt(Math.ceil(Math.sqrt(Number(square >> low)) * (1 + 2 ** -48))) + 1n) << (low / 2n);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
