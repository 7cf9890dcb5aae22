/**
 * What wallets ask for when they ask for all: half of the largest word or more, so that what was taken since does not make it a number, and exactly the
 * largest amounts of tokens and spenders that count in fewer bits (96, 128, 160).
 */
const unlimitedFrom = 2n ** 255n;
const narrowMaxima: ReadonlySet<bigint> = new Set([2n ** 96n - 1n, 2n ** 128n - 1n, 2n ** 160n - 1n]);

export const unlimited = "UNLIMITED";

/** Whether an allowance has no limit that matters, and keeps having none whatever was taken of it. */
export const isBoundless = (amount: bigint): boolean => amount >= unlimitedFrom;

/** Whether an allowance is told as one without limit. */
export const isUnlimited = (amount: bigint): boolean => isBoundless(amount) || narrowMaxima.has(amount);
