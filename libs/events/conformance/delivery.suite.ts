import { Permanent } from '@postmesh/contracts';
import { expect, test } from 'vitest';
import { MAX_EVENT_BYTES, type ReceivedEvent } from '../src/event-bus.port.js';
import type { BusWorld } from './bus-driver.js';
import { fact, facts, idsOf, keysOutOfOrder, withoutRepeats } from './facts.js';
import { Diary, listen } from './listener.js';

/** A published event arrives: whole, in order, at every group, soon. */
export function deliverySuite(world: () => BusWorld): void {
  test('events of one key arrive in the order they were published', async () => {
    const bus = await world().connect();
    const { diary } = await listen(bus, { group: 'readers' });
    const all = facts(40, 50);
    for (let at = 0; at < all.length; at += 130) await bus.publish(all.slice(at, at + 130));
    await diary.until((written) => written.distinct() >= all.length);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
    expect(idsOf(withoutRepeats(diary.events)).sort()).toEqual(idsOf(all).sort());
  });

  test('an event arrives exactly as it was published', async () => {
    const bus = await world().connect();
    const { diary } = await listen(bus, { group: 'readers' });
    const event = {
      ...fact('ключ "\u0000" 🗝', 0),
      trace: '00-abc-01',
      data: { n: 0, text: 'a\u0000b\r\n"\\ 💌 \ud800' },
    };
    await bus.publish([event]);
    await diary.until((written) => written.distinct() >= 1);
    expect(diary.events[0]).toEqual(JSON.parse(JSON.stringify(event)));
  });

  test('a new group starts at the earliest event', async () => {
    const bus = await world().connect();
    const all = facts(5, 4);
    await bus.publish(all);
    const { diary } = await listen(bus, { group: 'late' });
    await diary.until((written) => written.distinct() >= all.length);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
  });

  test('every group gets every event of its streams, and of no other', async () => {
    const bus = await world().connect();
    const messages = facts(7, 3);
    const deliveries = facts(7, 2, { stream: 'deliveries' });
    const [one, both] = [
      await listen(bus, { group: 'one', streams: ['messages'] }),
      await listen(bus, { group: 'both', streams: ['messages', 'deliveries'] }),
    ];
    await bus.publish([...messages, ...deliveries]);
    await both.diary.until((written) => written.distinct() >= messages.length + deliveries.length);
    await one.diary.until((written) => written.distinct() >= messages.length);
    expect(idsOf(withoutRepeats(one.diary.events)).sort()).toEqual(idsOf(messages).sort());
    expect(idsOf(withoutRepeats(both.diary.events)).sort()).toEqual(
      idsOf([...messages, ...deliveries]).sort(),
    );
  });

  test('a batch is never larger than its limit, and never handed over while another runs', async () => {
    const bus = await world().connect();
    await bus.publish(facts(30, 10));
    let running = 0;
    let most = 0;
    const first = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const { diary } = await listen(bus, { group: 'readers', maxBatch: 20, first });
    await diary.until((written) => written.distinct() >= 300);
    expect(Math.max(...diary.batches)).toBeLessThanOrEqual(20);
    expect(most).toBe(1);
  });

  test('what was handled is not delivered again to the next member', async () => {
    const bus = await world().connect();
    const first = await listen(bus, { group: 'readers' });
    await bus.publish(facts(9, 5));
    await first.diary.until((written) => written.distinct() >= 45);
    await first.subscription.stop();
    const last = fact('key-0', 5);
    await bus.publish([last]);
    const second = await listen(bus, { group: 'readers' });
    await second.diary.until((written) => written.distinct() >= 1);
    expect(idsOf(withoutRepeats(second.diary.events))).toEqual([last.id]);
  });

  test('an event reaches an idle member of another process soon', async () => {
    const [publisher, reader] = [await world().connect(), await world().connect()];
    const { diary } = await listen(reader, { group: 'readers' });
    const took: number[] = [];
    for (let n = 0; n < 15; n++) {
      const begun = performance.now();
      await publisher.publish([fact('one', n)]);
      await diary.until((written) => written.distinct() > n);
      took.push(performance.now() - begun);
    }
    // Half of the sweep's second: only a wake-up can be that quick; the median forgives a busy machine.
    expect(took.sort((a, b) => a - b)[7]).toBeLessThan(500);
  });

  test('an event that is too large is refused for ever, and nothing of its call is published', async () => {
    const bus = await world().connect();
    const { diary } = await listen(bus, { group: 'readers' });
    const large = { ...fact('key-0', 0), data: { n: 0, text: 'é'.repeat(MAX_EVENT_BYTES / 2) } };
    await expect(bus.publish([fact('key-0', 0), large])).rejects.toBeInstanceOf(Permanent);
    const almost = { ...fact('key-0', 0), data: { n: 0, text: 'x'.repeat(MAX_EVENT_BYTES - 1_000) } };
    await bus.publish([almost, { ...almost, id: 'second', data: { ...almost.data, n: 1 } }]);
    await diary.until((written) => written.distinct() >= 2);
    expect(idsOf(withoutRepeats(diary.events))).toEqual([almost.id, 'second']);
  });

  test('a record that is no JSON is handed over, and what is behind it arrives', async () => {
    const bus = await world().connect();
    await bus.publish([fact('key-0', 0)]);
    await world().inject('messages', '{"half": ');
    await bus.publish([fact('key-0', 1)]);
    const seen: ReceivedEvent[] = [];
    const diary = new Diary();
    await bus.subscribe({
      group: 'readers',
      streams: ['messages'],
      handle: async (received) => {
        seen.push(...received);
        diary.write([]);
      },
    });
    await diary.until(() => seen.length >= 3);
    expect(seen.filter(({ text }) => text === '{"half": ')).toHaveLength(1);
    expect(seen.every(({ stream, at }) => stream === 'messages' && /^messages(\/\d+)+$/.test(at))).toBe(true);
  });

  test('it is ready while its members take part, and not after it is closed', async () => {
    const bus = await world().connect();
    const { subscription } = await listen(bus, { group: 'readers' });
    expect(bus.ready()).toBe(true);
    expect(subscription.ready()).toBe(true);
    await bus.close();
    await bus.close();
    expect(bus.ready()).toBe(false);
    expect(subscription.ready()).toBe(false);
  });

  test('it reports the lag of a group', async () => {
    const bus = await world().connect();
    const { diary, subscription } = await listen(bus, { group: 'readers' });
    await bus.publish(facts(4, 5));
    await diary.until((written) => written.distinct() >= 20);
    await subscription.stop();
    await expect.poll(() => bus.lag()).toContainEqual({ group: 'readers', stream: 'messages', behind: 0 });
    await bus.publish(facts(4, 2));
    expect(await bus.lag()).toContainEqual({ group: 'readers', stream: 'messages', behind: 8 });
  });
}
