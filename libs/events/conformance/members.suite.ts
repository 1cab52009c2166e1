import { PARTITIONS_PER_STREAM, type EventEnvelope } from '@postmesh/contracts';
import { expect, test } from 'vitest';
import type { EventBus, RunningSubscription } from '../src/event-bus.port.js';
import type { BusDriver, BusWorld } from './bus-driver.js';
import { fact, idsOf, keysOutOfOrder, withoutRepeats } from './facts.js';
import { Diary, listen } from './listener.js';

const KEYS = 60;

/** Publishes on and on in the background, number by number for every key. */
class Publisher {
  readonly published: EventEnvelope[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly bus: EventBus) {
    this.running = this.run();
  }

  private async run(): Promise<void> {
    for (let n = 0; !this.stopped; n++) {
      const round = Array.from({ length: KEYS }, (_, key) => fact(`key-${key}`, n));
      await this.bus.publish(round);
      this.published.push(...round);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}

const partitions = (members: readonly RunningSubscription[]): string[] =>
  members.flatMap((member) => member.holds());

/** Resolves when one member is given everything; nothing is given to two. */
async function oneReads(members: readonly RunningSubscription[]): Promise<void> {
  await expect.poll(() => partitions(members)).toEqual(['messages']);
}

/** Resolves when the members share all partitions, each holding some. */
async function allShare(members: readonly RunningSubscription[]): Promise<void> {
  await expect
    .poll(() => ({
      held: partitions(members).length,
      idle: members.filter((member) => member.holds().length === 0),
    }))
    .toEqual({ held: PARTITIONS_PER_STREAM, idle: [] });
  expect(new Set(partitions(members)).size).toBe(PARTITIONS_PER_STREAM);
}

/** Members come and go; events do not notice. */
export function membersSuite(world: () => BusWorld, how: BusDriver['members']): void {
  const settled = how === 'share' ? allShare : oneReads;

  test('members share or take turns anew when one joins or leaves, and nothing is lost or out of order', async () => {
    const buses = await Promise.all([0, 1, 2, 3].map(() => world().connect()));
    const [publishing, ...listening] = buses as [EventBus, EventBus, EventBus, EventBus];
    const publisher = new Publisher(publishing);
    const diary = new Diary();
    // Slow enough that partitions change hands while a batch is being handled.
    let slowMs = 25;
    const first = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, slowMs));
    const join = async (bus: EventBus | undefined) =>
      (await listen(bus ?? publishing, { group: 'readers', maxBatch: 40, diary, first })).subscription;
    const goOn = async (): Promise<void> => {
      const before = diary.distinct();
      await diary.until((written) => written.distinct() > before + KEYS * 5);
    };

    const alone = await join(listening[0]);
    await settled([alone]);
    await goOn();
    const second = await join(listening[1]);
    await settled([alone, second]);
    await goOn();
    await alone.stop();
    await settled([second]);
    await goOn();
    const third = await join(listening[2]);
    await settled([second, third]);
    await goOn();

    await publisher.stop();
    // no member comes or goes any more
    slowMs = 0;
    await diary.until((written) => written.distinct() >= publisher.published.length);
    const handled = withoutRepeats(diary.events);
    expect(idsOf(handled).sort()).toEqual(idsOf(publisher.published).sort());
    expect(keysOutOfOrder(handled)).toEqual([]);
  });

  test('100,000 events from two publishers reach two members without a gap', async () => {
    const [one, two] = [await world().connect(), await world().connect()];
    const diary = new Diary();
    const total = 100_000;
    const keys = 500;
    const publish = async (bus: EventBus, name: string): Promise<void> => {
      for (let round = 0; round < total / 2 / keys; round++) {
        await bus.publish(Array.from({ length: keys }, (_, key) => fact(`${name}-${key}`, round)));
      }
    };
    await Promise.all([
      listen(one, { group: 'readers', diary }),
      listen(two, { group: 'readers', diary }),
      publish(one, 'left'),
      publish(two, 'right'),
    ]);
    await diary.until(({ events }) => events.length >= total && diary.distinct() >= total);
    const handled = withoutRepeats(diary.events);
    expect(handled).toHaveLength(total);
    expect(keysOutOfOrder(handled)).toEqual([]);
  });
}
