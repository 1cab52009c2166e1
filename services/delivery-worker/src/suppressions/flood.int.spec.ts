import { expect, it } from 'vitest';
import { MAX_SUPPRESSION_CHANGES, SuppressionsChanged } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { freshWorlds } from '../testing/fresh-world.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';

const world = freshWorlds();
const EVENTS = 200;
const CHANGES = EVENTS * MAX_SUPPRESSION_CHANGES;
const MESSAGES = 20;

/** An account adds 100,000 addresses in one go. */
function flood(worker: WorkerUnderTest): Promise<void> {
  const account_id = newId();
  const example = SuppressionsChanged.examples[0]!.changes[0]!;
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const events = Array.from({ length: EVENTS }, (_event, nth) => {
    const changes = Array.from({ length: MAX_SUPPRESSION_CHANGES }, (_change, at) => {
      const revision = nth * MAX_SUPPRESSION_CHANGES + at + 1;
      return { ...example, recipient: `r${revision}@mail.test`, expires_at, revision };
    });
    return SuppressionsChanged.make({ account_id, changes }, { account_id });
  });
  return worker.bus.publish(events);
}

async function copied(worker: WorkerUnderTest): Promise<number> {
  const rows = await worker.database.query('select count(*)::int as count from suppressions');
  return rows[0].count;
}

it('100,000 suppressions of one account hold up no message of another', async () => {
  const { start } = await world();
  const worker = await start();
  /** @returns how many suppressions were recorded before the last of the victim's messages was delivered */
  const deliverOthers = async () => {
    const before = await copied(worker);
    const to = Array.from({ length: MESSAGES }, (_, nth) => `${newId()}@quick${nth}.test`);
    const ids = (await Promise.all(to.map((email) => worker.accept({ to: [email] })))).flat();
    const published = await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    expect(published.map(({ attempt }) => attempt)).toEqual(ids.map(() => 1));
    return (await copied(worker)) - before;
  };
  const baseline = await deliverOthers();
  expect(baseline).toBe(0);
  await flood(worker);
  const meanwhile = await deliverOthers();
  // only some batches of the flood: one transaction for all of it would have come before the messages
  expect(meanwhile).toBeLessThan(CHANGES / 2);
  await expect.poll(() => copied(worker)).toBe(CHANGES);
});
