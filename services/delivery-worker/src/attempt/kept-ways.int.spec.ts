import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { freshWorlds, sharedWorld } from '../testing/fresh-world.js';
import { MailHost } from '../testing/mail-host.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';

const source = (id: string, address: string) => ({ id, address, ehlo: `mta-${id}.service.test` });
const SOURCES = [source('a', '127.0.0.2'), source('b', '127.0.0.3')];

const put = async (worker: WorkerUnderTest, path: string, given: object) =>
  expect(await worker.internal('PUT', `/operator/egress/${path}`, given)).toMatchObject({ status: 200 });

const waysOf = (worker: WorkerUnderTest) =>
  worker.database.query('select source, pinned, reason from deliveries') as Promise<
    { source: string | null; pinned: boolean | null; reason: string }[]
  >;

const world = freshWorlds();

describe('a message whose connection was cut after its final dot', () => {
  const shared = sharedWorld(({ start }) => start({ settings: { egressSources: SOURCES } }));

  it('leaves by the same source or not at all', async () => {
    const { host, worker } = shared;
    host.manners = { accept: (_message, peer) => void peer.drop() };
    const [id] = await worker.accept();
    const cut = await worker.outcome(id!, 'deferred');
    expect(cut).toMatchObject({ uncertain: true, source: expect.stringMatching(/^[ab]$/) });
    const used = cut.source!;
    await expect.poll(() => waysOf(worker)).toMatchObject([{ source: used, pinned: true }]);
    host.manners = {};
    await put(worker, 'pools/aside', {});
    await put(worker, `sources/${used}`, { pool: 'aside' });
    await worker.makeDue();
    const why = `it may have arrived and keeps its way, ${used}, which is not available now`;
    await expect.poll(() => waysOf(worker)).toMatchObject([{ source: used, pinned: true, reason: why }]);
    // others leave from the other source meanwhile
    const [other] = await worker.accept({ to: ['bob@mail.test'] });
    expect((await worker.outcome(other!, 'delivered')).source).not.toBe(used);
    expect(host.recipients.filter((one) => one === 'ann@mail.test')).toHaveLength(1);
    await put(worker, `sources/${used}`, { pool: 'default' });
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ source: used });
  });

  it('is not handed to a second relay', async () => {
    const { start, closing } = await world();
    const [first, second] = [await MailHost.start(), await MailHost.start()];
    closing.push(
      () => first.stop(),
      () => second.stop(),
    );
    const relay = ({ port }: MailHost) => ({ host: '127.0.0.1', port, implicitTls: false });
    const worker = await start({ settings: { egressRelays: [relay(first), relay(second)] } });
    first.manners = { accept: (_message, peer) => void peer.drop() };
    const [id] = await worker.accept();
    expect(await worker.outcome(id!, 'deferred')).toMatchObject({
      ...{ uncertain: true, source: 'relay:settings-1' },
    });
    const { port } = first;
    await first.stop();
    await worker.makeDue();
    await expect
      .poll(() => worker.published.filter((one) => one.message_id === id && one.outcome === 'deferred'))
      .toHaveLength(2);
    // another message goes to the second relay
    await worker.accept({ to: ['bob@mail.test'] });
    await second.waitFor(1);
    expect(second.recipients).toEqual(['bob@mail.test']);
    const again = await MailHost.start({}, { port });
    closing.push(() => again.stop());
    // a host that failed is left alone for less time
    worker.service.get(ShapingClock).use(() => Date.now() + 60_000);
    await worker.makeDue();
    await again.waitFor(1);
    expect(again.recipients).toEqual(['ann@mail.test']);
  });
});

describe('the way of a message', () => {
  it('is in its row before the message leaves, so that it is known when its worker dies', async () => {
    const { host, start } = await world();
    const worker = await start({ settings: { egressSources: SOURCES } });
    const seen: unknown[] = [];
    host.manners = {
      accept: async () => {
        seen.push(...(await waysOf(worker)));
        return undefined;
      },
    };
    const [id] = await worker.accept();
    const { source: used } = await worker.outcome(id!, 'delivered');
    expect(seen).toMatchObject([{ source: used }]);
  });

  it('is kept when its worker died in the middle of the attempt', async () => {
    const { host, start } = await world();
    const worker = await start({ settings: { egressSources: SOURCES } });
    await worker.accept({ firstAttempt: new Date(Date.now() + 3_600_000) });
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    await put(worker, 'pools/aside', {});
    await put(worker, 'sources/a', { pool: 'aside' });
    await worker.database.query(
      `update deliveries set state = 'leased', source = 'a', lease_owner = $1, lease_token = 7, attempts = 1,
         first_attempt_at = now(), leased_until = now() - interval '1 second'`,
      [newId()],
    );
    await worker.service.get(DeliveryQueue).queue.lease.freeAbandoned();
    const reason = 'it may have arrived and keeps its way, a, which is not available now';
    await expect.poll(() => waysOf(worker)).toMatchObject([{ source: 'a', pinned: true, reason }]);
    expect(host.messages).toEqual([]);
  });
});
