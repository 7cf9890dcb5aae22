/** An exact decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Significant digits that are kept of what does not end: of quotients and roots. */
const significantDigits = 40;

const written = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The number that digits with at most one point stand for, as the database writes a numeric. @throws {RangeError} any other text. */
export function decimalOf(text: string): Decimal {
  const parts = written.exec(text);
  if (parts === null) throw new RangeError(`A decimal number is accepted, ${JSON.stringify(text.slice(0, 100))} was given.`);
  const [, sign = "", whole = "", fraction = ""] = parts;
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/** A whole number divided by a power of ten. */
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

/** Below zero where the left one is less, above where it is more. */
export function compare(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const [first, second] = [digitsAt(left, scale), digitsAt(right, scale)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The quotient, cut after 40 significant digits. @throws {RangeError} a divisor of nothing. */
export function divide(left: Decimal, right: Decimal): Decimal {
  // As many digits as bring the whole quotient to 40 or a few more.
  const more = Math.max(0, significantDigits + 2 + lengthOf(right.digits) - lengthOf(left.digits));
  return cut({ digits: (left.digits * 10n ** BigInt(more)) / right.digits, scale: left.scale + more - right.scale });
}

/** The square root, cut after 40 significant digits. @throws {RangeError} of less than nothing. */
export function squareRoot({ digits, scale }: Decimal): Decimal {
  if (digits < 0n) throw new RangeError("A number below zero has no square root.");
  let more = Math.max(0, 2 * significantDigits + 1 - lengthOf(digits));
  // Half of the scale must be whole.
  if ((scale + more) % 2 !== 0) more += 1;
  return cut({ digits: wholeRoot(digits * 10n ** BigInt(more)), scale: (scale + more) / 2 });
}

/** The number with no more than 40 significant digits, the others cut off; without zeros at its end. */
export function cut({ digits, scale }: Decimal): Decimal {
  if (digits === 0n) return { digits: 0n, scale: 0 };
  let text = digits.toString();
  const sign = text.startsWith("-") ? 1 : 0;
  let kept = Math.min(text.length, significantDigits + sign);
  while (text[kept - 1] === "0") kept -= 1;
  const dropped = text.length - kept;
  text = text.slice(0, kept);
  return { digits: BigInt(text), scale: scale - dropped };
}

/** The number with no more than so many significant digits, the last one rounded (half away from zero). */
export function rounded({ digits, scale }: Decimal, kept: number): Decimal {
  const dropped = (digits < 0n ? -digits : digits).toString().length - kept;
  if (dropped <= 0) return { digits, scale };
  const unit = 10n ** BigInt(dropped);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return { digits: (digits + half) / unit, scale: scale - dropped };
}

/** The nearest floating-point number: the last step of an answer. */
export const toNumber = ({ digits, scale }: Decimal): number => Number(`${digits}e${-scale}`);

/** Digits with a point, as the database reads a numeric: all of them, and no exponent. */
export function toText({ digits, scale }: Decimal): string {
  if (scale <= 0) return (digits * 10n ** BigInt(-scale)).toString();
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** How many whole hundredths there are in the number, the rest cut off towards zero. */
export const wholeHundredths = ({ digits, scale }: Decimal): bigint =>
  scale <= 2 ? digits * 10n ** BigInt(2 - scale) : digits / 10n ** BigInt(scale - 2);

const digitsAt = ({ digits, scale }: Decimal, wanted: number): bigint =>
  wanted === scale ? digits : digits * 10n ** BigInt(wanted - scale);

/** The number of digits, or one more or less: by sixteens, which is quicker than to write them all. */
const lengthOf = (digits: bigint): number => Math.round((digits < 0n ? -digits : digits).toString(16).length * 1.2041);

/** The largest whole number whose square is not more (Newton's method, from above, from what floating point knows). */
function wholeRoot(square: bigint): bigint {
  if (square < 2n) return square;
  // An even number of low bits is left out, so that the rest is exact enough as a number.
  const low = BigInt(Math.max(0, square.toString(16).length * 4 - 104) & ~1);
  let root = (BigInt(Math.ceil(Math.sqrt(Number(square >> low)) * (1 + 2 ** -48))) + 1n) << (low / 2n);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
