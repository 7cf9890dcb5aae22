/**
 * A checked SELECT that returns at most as many rows as a parameter says: the server computes no more of them, and this process receives no more. The rows keep
 * their order, because a subquery with ORDER BY is computed as it is.
 */
export const limitRows = (select: string, parameter: number): string => `SELECT * FROM (\n${select}\n) AS page LIMIT $${parameter}`;
