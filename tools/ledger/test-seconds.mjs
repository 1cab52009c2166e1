// @ts-check
// How long the tests of the all-in-one service run the ledger.

/** Of load in the ledger's tests, in each mode: CI has two minutes for it, whoever runs the tests one. */
const TEST_SECONDS = { ci: 120, elsewhere: 60 };

/**
 * @param {NodeJS.ProcessEnv} env `POSTMESH_LEDGER_SECONDS` says another time
 * @returns {number}
 * @throws Error when that is no number of seconds from 15 to a day
 */
export function secondsInTests({ CI, POSTMESH_LEDGER_SECONDS: given }) {
  if (given === undefined) return CI === 'true' ? TEST_SECONDS.ci : TEST_SECONDS.elsewhere;
  const seconds = Number(given);
  if (seconds >= 15 && seconds <= 86_400) return seconds;
  throw new Error(`POSTMESH_LEDGER_SECONDS is a number from 15 to 86400, not '${given}'`);
}
