/**
 * Wraps a checked SELECT so that a parameter limits its number of rows: the server computes no more, and this process receives no
 * more. The rows keep their order, because a subquery with ORDER BY is not flattened.
 */
export const limitRows = (select: string, parameter: number): string => `SELECT * FROM (\n${select}\n) AS page LIMIT $${parameter}`;
