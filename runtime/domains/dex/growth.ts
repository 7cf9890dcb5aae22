/** What was added to a sum between two of its values, as digits. */
export const grown = (before: string, after: string): string => (before === after ? "0" : String(BigInt(after) - BigInt(before)));
