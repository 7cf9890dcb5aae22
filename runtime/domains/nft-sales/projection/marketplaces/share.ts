/**
 * What units number `first` and the following cost of a price for `units` of them: each the same, and as many of the first ones a smallest unit more as
 * the price leaves over. So the shares of all units are the price exactly.
 */
export const shareOf = (price: bigint, units: bigint, first: bigint, count: bigint): bigint => {
  const [each, over] = [price / units, price % units];
  const dearer = over > first ? over - first : 0n;
  return each * count + (dearer < count ? dearer : count);
};
