/** Renders a count with its noun, for example "1 row" or "2 rows". */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
