import { newId, Permanent, Poison, Transient, type EventEnvelope } from '@postmesh/contracts';
import { describe, expect, test } from 'vitest';
import { BusTransportStrategy, type BuriedEvent, type EventBus } from '../src/index.js';
import type { BusWorld } from './bus-driver.js';
import { fact, facts, idsOf, keysOutOfOrder, numberOf, withoutRepeats } from './facts.js';
import { Diary, listen } from './listener.js';

const DEAD = { stream: 'messages', group: 'readers' } as const;

const buried = (event: EventEnvelope, reason = 'no such account'): BuriedEvent => ({
  id: event.id,
  stream: event.stream,
  group: 'readers',
  pattern: `${event.type}.v${event.version}`,
  kind: 'permanent',
  reason,
  event,
});

/** A group that runs one handler under the strategy, as a service would. */
async function service(bus: EventBus, handler: (events: EventEnvelope[]) => Promise<void> | void) {
  const diary = new Diary();
  const strategy = new BusTransportStrategy({ bus, group: 'readers', streams: ['messages'] });
  const handle = async (events: EventEnvelope[]): Promise<never[]> => {
    await handler(events);
    diary.write(events);
    return [];
  };
  strategy.addHandler('thing-happened.v1', handle as never, true);
  await new Promise<void>((resolve, reject) => {
    void strategy.listen((error) => (error ? reject(error as Error) : resolve()));
  });
  return { diary, strategy };
}

/** Dead letters are kept, can be read and can be played again. */
export function deadLetterSuite(world: () => BusWorld): void {
  test('dead letters are read oldest first, with their reason, by their group and stream only', async () => {
    const bus = await world().connect();
    const [one, two, three] = [fact('a', 0), fact('b', 1), fact('c', 2)];
    await bus.bury([buried(one, 'first'), buried(two, 'second')]);
    await bus.bury([{ ...buried(three), group: 'others' }, buried(one, 'again')]);
    const letters = await bus.readDead({ ...DEAD, limit: 10 });
    expect(idsOf(letters as never)).toEqual([one.id, two.id]);
    expect(letters[1]).toEqual({ ...buried(two, 'second'), died_at: letters[1]?.died_at });
    expect(Date.parse(letters[1]?.died_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await bus.readDead({ ...DEAD, limit: 1 })).toHaveLength(1);
    expect(await bus.readDead({ stream: 'deliveries', group: 'readers', limit: 10 })).toEqual([]);
  });

  test('replayed letters are delivered again and are no longer dead', async () => {
    const bus = await world().connect();
    const all = facts(3, 2);
    await bus.bury(all.map((event) => buried(event)));
    const chosen = all.slice(0, 2).map(({ id }) => id);
    expect(await bus.replayDead({ ...DEAD, ids: [...chosen, newId()] })).toBe(2);
    expect(idsOf((await bus.readDead({ ...DEAD, limit: 10 })) as never)).toEqual(idsOf(all.slice(2)));
    expect(await bus.replayDead(DEAD)).toBe(4);
    expect(await bus.replayDead(DEAD)).toBe(0);
    expect(await bus.readDead({ ...DEAD, limit: 10 })).toEqual([]);
    const { diary } = await listen(bus, { group: 'readers' });
    await diary.until((written) => written.distinct() >= all.length);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
    await bus.bury([buried(all[0] as EventEnvelope, 'dead once more')]);
    expect(await bus.readDead({ ...DEAD, limit: 10 })).toMatchObject([{ reason: 'dead once more' }]);
  });

  describe('under the transport strategy', () => {
    test('poison goes to the dead letters with its reason, and the rest goes on in order', async () => {
      const bus = await world().connect();
      const all = facts(4, 10);
      const poisoned = all.filter((event) => event.key === 'key-1' && numberOf(event) === 4);
      await bus.publish(all.slice(0, 20));
      await world().inject('messages', 'no JSON at all');
      await world().inject(
        'messages',
        JSON.stringify({ id: 'strange-1', type: 'thing-happened', version: 1 }),
      );
      await bus.publish(all.slice(20));
      const { diary } = await service(bus, (events) => {
        if (events.some(({ id }) => id === poisoned[0]?.id))
          throw new Poison('data.n: expected a small number');
      });
      await diary.until((written) => written.distinct() >= all.length - 1);
      await expect.poll(() => bus.readDead({ ...DEAD, limit: 10 }), { timeout: 20_000 }).toHaveLength(3);
      const letters = await bus.readDead({ ...DEAD, limit: 10 });
      const byEvent = new Map(letters.map((letter) => [letter.event, letter]));
      expect(letters.find(({ id }) => id === poisoned[0]?.id)).toMatchObject({
        kind: 'poison',
        pattern: 'thing-happened.v1',
        reason: expect.stringContaining('expected a small number'),
        event: JSON.parse(JSON.stringify(poisoned[0])),
      });
      expect(byEvent.get('no JSON at all')).toMatchObject({ kind: 'poison', pattern: null });
      expect(letters.find(({ id }) => id === 'strange-1')).toMatchObject({ pattern: 'thing-happened.v1' });
      expect(keysOutOfOrder(withoutRepeats(diary.events).filter(({ key }) => key !== 'key-1'))).toEqual([]);
    });

    test('transient failures are delivered again and never buried', async () => {
      const bus = await world().connect();
      const all = facts(3, 3);
      await bus.publish(all);
      let tries = 0;
      const { diary } = await service(bus, () => {
        tries += 1;
        if (tries <= 5) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      });
      await diary.until((written) => written.distinct() >= all.length);
      expect(tries).toBeGreaterThan(5);
      expect(await bus.readDead({ ...DEAD, limit: 10 })).toEqual([]);
    });

    test('a transient failure beside a permanent one buries only the culprit', async () => {
      const bus = await world().connect();
      const all = facts(6, 1);
      await bus.publish(all);
      let unwell = 3;
      const { diary } = await service(bus, (events) => {
        if (events.length === 1 && events[0]?.key === 'key-5' && unwell-- > 0) throw new Transient('busy');
        if (events.some(({ key }) => key === 'key-2')) throw new Permanent('account closed');
      });
      await diary.until((written) => written.distinct() >= all.length - 1);
      await expect.poll(() => bus.readDead({ ...DEAD, limit: 10 }), { timeout: 20_000 }).toHaveLength(1);
      expect(await bus.readDead({ ...DEAD, limit: 10 })).toMatchObject([
        { event: { key: 'key-2' }, kind: 'permanent' },
      ]);
    });
  });
}
