import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Transient } from '@postmesh/contracts';
import { expect, test } from 'vitest';
import type { BusWorld } from './bus-driver.js';
import { facts, idsOf, keysOutOfOrder, withoutRepeats } from './facts.js';
import { listen } from './listener.js';

const CHILD = join(import.meta.dirname, 'killed-member.mjs');

/** @returns a member in a process of its own, which has been given events and has not handled them */
async function memberInTheMiddle(world: BusWorld, group: string): Promise<ChildProcess> {
  const child = fork(CHILD, [JSON.stringify({ ...world.forChild(), group, stream: 'messages' })], {
    execArgv: [],
  });
  const [message] = await once(child, 'message');
  expect(message).toBe('in the middle');
  return child;
}

/** Nothing that was not handled to its end counts as handled. */
export function redeliverySuite(world: () => BusWorld): void {
  test('a batch whose handling fails is delivered again until it is handled, in order', async () => {
    const bus = await world().connect();
    const all = facts(10, 6);
    await bus.publish(all);
    let failures = 0;
    const first = (): void => {
      failures += 1;
      if (failures <= 3) throw new Transient('the database restarts');
    };
    const { diary, subscription } = await listen(bus, { group: 'readers', first });
    await diary.until((written) => written.distinct() >= all.length);
    expect(failures).toBeGreaterThan(3);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
    expect(subscription.ready()).toBe(true);
  });

  test('a member that leaves while it keeps failing takes nothing with it', async () => {
    const [one, two] = [await world().connect(), await world().connect()];
    const all = facts(10, 5);
    let tried = (): void => undefined;
    const failed = new Promise<void>((resolve) => {
      tried = resolve;
    });
    const failing = await listen(one, {
      group: 'readers',
      first: () => {
        tried();
        throw new Error('never works');
      },
    });
    await one.publish(all);
    await failed;
    await failing.subscription.stop();
    const { diary } = await listen(two, { group: 'readers' });
    await diary.until((written) => written.distinct() >= all.length);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
    expect(failing.diary.events).toEqual([]);
  });

  test('what a member was handling when it was killed (-9) is delivered to another', async () => {
    const bus = await world().connect();
    const all = facts(20, 10);
    await bus.publish(all);
    const child = await memberInTheMiddle(world(), 'readers');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const { diary } = await listen(bus, { group: 'readers' });
    await diary.until((written) => written.distinct() >= all.length);
    expect(idsOf(withoutRepeats(diary.events)).sort()).toEqual(idsOf(all).sort());
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
  });
}
