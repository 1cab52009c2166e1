/**
 * What a failed query of c-ares means. `no-record`: the name has none of this type. `no-name`: the name does not
 * exist, or could not exist. Everything else (timeout, SERVFAIL, REFUSED, garbage) teaches nothing.
 */
export type FailedQuery = 'no-record' | 'no-name' | 'inconclusive';

const MEANING: Readonly<Record<string, FailedQuery>> = {
  ENODATA: 'no-record',
  ENOTFOUND: 'no-name',
  EBADNAME: 'no-name',
};

export const failedQuery = (code: string): FailedQuery => MEANING[code] ?? 'inconclusive';

/** An inconclusive answer is asked for at least this often before it is believed. */
const FEWEST_TRIES = 2;

/**
 * The order in which servers are asked: each in turn, the one that answered last first; a lone server is asked
 * twice, since a single lost packet is no finding.
 * @param servers how many there are
 * @param preferred index of the server that answered last
 */
export function askingOrder(servers: number, preferred: number): number[] {
  if (servers === 0) return [];
  const tries = Math.max(servers, FEWEST_TRIES);
  return Array.from({ length: tries }, (_, at) => (preferred + at) % servers);
}
