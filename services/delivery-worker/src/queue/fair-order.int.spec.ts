import { describe, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { freshWorlds, type FreshWorld } from '../testing/fresh-world.js';
import { a, mx, NameServer } from '../testing/name-server.js';
import { MailHost } from '../testing/mail-host.js';
import { ScriptedServer } from '../testing/scripted-server.js';
import { ACCOUNT, type MessageWanted, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { DeliveryQueue } from './delivery-queue.js';

const world = freshWorlds();
const PLACES = 40;
const settings = { deliveryConcurrency: PLACES, deliveryPerDestination: 3 };

/**
 * `….slow.test` has one slow host; other names have one of their own, `….silent.test` at an address that never answers.
 */
const zone = () =>
  NameServer.start((name, type) => {
    if (name.startsWith('mx.')) {
      const last = name.endsWith('silent.test') ? 2 : name.endsWith('slow.test') ? 3 : 1;
      return type === 'A' ? [a(name, `127.0.0.${last}`)] : [];
    }
    if (type !== 'MX') return [];
    return [mx(name, name.endsWith('.slow.test') ? 'mx.slow.test' : `mx.${name}`, 10)];
  });

interface Attacked {
  readonly host: MailHost;
  readonly worker: WorkerUnderTest;
  /** connections to the silent host */
  readonly silent: ScriptedServer;
  /** takes messages, and replies to none */
  readonly slow: MailHost;
}

async function attacked({ host, start, closing }: FreshWorld): Promise<Attacked> {
  const silent = await ScriptedServer.start(() => undefined, { address: '127.0.0.2', port: host.port });
  const slow = await MailHost.start(
    { accept: () => new Promise(() => undefined) },
    { address: '127.0.0.3', port: host.port },
  );
  const dns = await zone();
  closing.push(() => dns.stop());
  const worker = await start({ settings, dns });
  // closed before the worker, whose stop would wait for their replies
  closing.push(
    () => silent.stop(),
    () => slow.stop(),
  );
  // the first message finds an idle queue
  const [first] = await worker.accept({ to: ['first@idle.test'] });
  await worker.outcome(first!, 'delivered');
  return { host, worker, silent, slow };
}

const publish = async (worker: WorkerUnderTest, wanted: readonly MessageWanted[]) => {
  const events = await Promise.all(wanted.map((one) => worker.message(one)));
  for (let at = 0; at < events.length; at += 100) await worker.bus.publish(events.slice(at, at + 100));
};
const recipients = (count: number, of: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => of(nth));
const publishedOf = (worker: WorkerUnderTest, part: string) =>
  worker.published.filter(({ recipient }) => recipient.includes(part));

describe('no mail waits for the servers of others', () => {
  it('200 names under one silent wildcard in five requests: a single message goes out while all of them hang', async () => {
    const { worker, silent } = await attacked(await world());
    await publish(
      worker,
      recipients(5, String).map((request) => ({
        to: recipients(40, (nth) => `u@r${request}-${nth}.silent.test`),
      })),
    );
    await expect.poll(() => silent.peers.length).toBeGreaterThan(PLACES / 2);
    // one of another account, and one of the account with the hanging mail
    for (const accountId of [newId(), ACCOUNT]) {
      const [id] = await worker.accept({ to: ['victim@idle.test'], accountId });
      await worker.outcome(id!, 'delivered');
    }
    expect(publishedOf(worker, 'silent')).toEqual([]);
    expect(silent.peers.every(({ socket }) => !socket.destroyed)).toBe(true);
    expect(silent.peers.length).toBeLessThan(PLACES);
  });

  it('1,000 messages to 1,000 domains on one slow host: one to an idle host goes out while none of them has ended', async () => {
    const { worker, slow } = await attacked(await world());
    await publish(
      worker,
      recipients(1_000, (nth) => `u@n${nth}.slow.test`).map((email) => ({ to: [email] })),
    );
    await slow.waitFor(1);
    for (const accountId of [newId(), ACCOUNT]) {
      const [id] = await worker.accept({ to: ['victim@idle.test'], accountId });
      await worker.outcome(id!, 'delivered');
    }
    expect(publishedOf(worker, 'slow')).toEqual([]);
  });
});

describe('no mail waits behind the backlog of others', () => {
  /**
   * Messages in flight, those of a running claim, and those that pass over open connections while the victim's one
   * opens: a backlog of any length adds none.
   */
  const NEXT_ONES = 5 * PLACES;

  /** Counts the messages to the same host between the commit of the victim's delivery and its arrival. */
  async function overtaking({ host, worker }: Attacked, accountId: string): Promise<number> {
    const to = `${newId()}@idle.test`;
    const event = await worker.message({ to: [to], accountId });
    const { id } = event.data.recipients[0]!;
    const { queue } = worker.service.get(DeliveryQueue);
    const insert = queue.insert.bind(queue);
    let before = Number.NaN;
    const intakes = vi.spyOn(queue, 'insert').mockImplementation(async (manager, rows) => {
      const afterCommit = await insert(manager, rows);
      return () => {
        if (rows.some((row) => row.id === id)) before = host.messages.length;
        afterCommit();
      };
    });
    await worker.bus.publish([event]);
    await worker.outcome(id, 'delivered');
    intakes.mockRestore();
    return host.recipients.indexOf(to) - before;
  }

  it('1,500 messages of one account to fast hosts: one of another goes out with the next ones', async () => {
    const under = await attacked(await world());
    const flood = publish(
      under.worker,
      recipients(1_500, (nth) => `u${nth}@quick${nth % 300}.test`).map((email) => ({ to: [email] })),
    );
    await under.host.waitFor(100, ({ recipient }) => recipient.includes('quick'));
    const passed = await overtaking(under, newId());
    await flood;
    expect(passed).toBeLessThan(NEXT_ONES);
  });

  it('bulk of one account to the same hosts: singles of others go out with the next ones, and bulk continues', async () => {
    const under = await attacked(await world());
    const { host, worker } = under;
    const flood = publish(
      worker,
      recipients(25, String).map((request) => ({
        to: recipients(100, (nth) => `bulk${request}-${nth}@idle.test`),
      })),
    );
    await host.waitFor(50, ({ recipient }) => recipient.startsWith('bulk'));
    for (const accountId of recipients(5, () => newId())) {
      expect(await overtaking(under, accountId)).toBeLessThan(NEXT_ONES);
    }
    await flood;
    const bulk = publishedOf(worker, 'bulk').length;
    await worker.until(() => publishedOf(worker, 'bulk').length > bulk);
  });
});
