/** Wait before the relay connects again: 0.2 s, doubled with each failure in a row, at most 5 s. */
export function backoffMs(failuresInARow: number): number {
  return Math.min(5_000, 200 * 2 ** Math.min(failuresInARow, 10));
}
