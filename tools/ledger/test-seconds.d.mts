/** For the tests of the all-in-one service: how long the ledger drives load there, seconds. */
export function secondsInTests(env: Readonly<Record<string, string | undefined>>): number;
