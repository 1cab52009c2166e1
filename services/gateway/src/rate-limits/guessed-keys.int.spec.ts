import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: another account during a flood of guesses

const database = testDatabase();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process');
});
afterAll(() => gateway?.stop());

const GUESSES = 2_000;
// The guessing client, the gateway and the other account share one event loop here.
const AT_ONCE = 10;
const ASKED = 20;

async function statusOf(secret: string, accountId: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}` };
  const { statusCode, body } = await request(`${gateway.url}/v2/accounts/${accountId}/messages/1`, {
    headers,
  });
  await body.dump();
  return statusCode;
}

/** Makes all guesses, from the address of the other clients. */
async function guess(): Promise<number[]> {
  const given: number[] = [];
  const one = async (): Promise<void> => {
    while (given.length < GUESSES) given.push(await statusOf(`pm-sk-${newId()}`, newId()));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return given;
}

it('§5 rule 5 a client that guesses keys causes few look-ups, and delays no client with a key', async () => {
  const { secret, accountId } = gateway.accounts.addKey();
  /** median time of a request, ms */
  const wait = async (): Promise<number> => {
    const waits: number[] = [];
    for (let nth = 0; nth < ASKED; nth += 1) {
      const begun = performance.now();
      expect(await statusOf(secret, accountId)).toBe(200);
      waits.push(performance.now() - begun);
    }
    return waits.toSorted((a, b) => a - b)[ASKED >> 1] ?? 0;
  };
  // the first requests of a process are slow, and its key is looked up once
  await wait();
  const alone = await wait();
  const { lookups } = gateway.accounts;
  const begun = performance.now();
  const guessing = guess();
  const beside = await wait();
  const given = await guessing;
  const seconds = Math.ceil((performance.now() - begun) / 1_000);
  process.stdout.write(
    `a request with a key: ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside ${GUESSES} guesses\n`,
  );
  expect(new Set(given)).toEqual(new Set([401, 429]));
  // spec: a burst of 40, then 20 a second; look-ups that began before the burst was used up are added
  expect(gateway.accounts.lookups - lookups).toBeLessThanOrEqual(40 + AT_ONCE + 20 * seconds);
});
