// A price has at most this many digits after the point; with 1,000 as the highest price, all stay exact.
const PRICE_DIGITS = 10;
const PRICE_UNITS = 10 ** PRICE_DIGITS;
const UNITS_PER_CENT = BigInt(PRICE_UNITS / 100);

/** What so many messages cost together, in whole cents, half a cent counting as one. */
export function pooledCents(messages: number, pricePerMessage: number): number {
  const units = BigInt(messages) * BigInt(Math.round(pricePerMessage * PRICE_UNITS));
  return Number((units + UNITS_PER_CENT / 2n) / UNITS_PER_CENT);
}

/**
 * Shares cents by how much each part used (spec 1-platform §10.5 rule 5): everybody gets the whole cents of
 * the exact share, and the cents that are left go to those who lost most to rounding, the first of equals
 * first. The shares sum to the whole.
 * @param used messages of each part
 * @returns cents of each part, in the same order; all 0 where nothing was used
 */
export function allocate(cents: number, used: readonly number[]): number[] {
  const total = BigInt(used.reduce((sum, one) => sum + one, 0));
  if (total === 0n) return used.map(() => 0);
  const exact = used.map((one) => BigInt(one) * BigInt(cents));
  const shares = exact.map((one) => Number(one / total));
  const left = cents - shares.reduce((sum, one) => sum + one, 0);
  const byLoss = exact
    .map((one, at) => ({ at, lost: one % total }))
    .sort((a, b) => (a.lost === b.lost ? a.at - b.at : a.lost < b.lost ? 1 : -1));
  for (const { at } of byLoss.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}
