/** Microseconds of the machine's monotonic clock: the same in every process, so that times can be compared. */
export const nowMicros = () => Number(process.hrtime.bigint() / 1000n);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks again and again until there is an answer.
 * @param {() => unknown} ask undefined or false = not yet
 * @returns the answer; undefined when the time is over
 */
export async function waitUntil(ask, { limitMs, everyMs = 20 }) {
  const end = Date.now() + limitMs;
  for (;;) {
    const response = await ask();
    if (response !== undefined && response !== false) return response;
    if (Date.now() >= end) return undefined;
    await sleep(everyMs);
  }
}
