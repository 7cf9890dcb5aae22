/** Allowances of at least this amount are unlimited. Wallets request up to the largest uint256; the margin covers amounts spent later. */
const unlimitedFrom = 2n ** 255n;
/** The exact maximum amounts of tokens and spenders that store amounts in fewer bits (96, 128, 160). */
const narrowMaxima: ReadonlySet<bigint> = new Set([2n ** 96n - 1n, 2n ** 128n - 1n, 2n ** 160n - 1n]);

export const unlimitedText = "UNLIMITED";

/** Whether an allowance has no effective limit, even after any number of transfers. */
export const isEffectivelyInfinite = (amount: bigint): boolean => amount >= unlimitedFrom;

/** Whether an allowance is served as unlimited. */
export const isUnlimited = (amount: bigint): boolean => isEffectivelyInfinite(amount) || narrowMaxima.has(amount);
