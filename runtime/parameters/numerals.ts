const canonicalDecimal = /^(?:0|[1-9][0-9]*)$/;
const canonicalInteger = /^(?:0|-?[1-9][0-9]*)$/;
const hexNumeral = /^0x[0-9a-f]{1,64}$/i;

const safe = (value: number): number | undefined => (Number.isSafeInteger(value) ? value : undefined);

/** A decimal integer without sign, point, exponent or leading zeros, up to 2^53 - 1. */
export const readDecimal = (text: string): number | undefined => (canonicalDecimal.test(text) ? safe(Number(text)) : undefined);

/** Like `readDecimal`, but accepts a minus sign. */
export const readInteger = (text: string): number | undefined => (canonicalInteger.test(text) ? safe(Number(text)) : undefined);

/** 0x followed by hex digits, up to 2^53 - 1. */
export const readHexNumeral = (text: string): number | undefined => (hexNumeral.test(text) ? safe(Number(text)) : undefined);
