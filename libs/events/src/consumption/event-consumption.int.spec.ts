import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, Permanent, Transient, type EventEnvelope, type FailureKind } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { realPart, testDatabase } from '@postmesh/testing';
import { listDeadLetters } from '../dead-letters.js';
import { OUTBOX_MIGRATIONS } from '../outbox.migrations.js';
import type { ConsumerEntry } from './batch-entries.js';
import { EventConsumption } from './event-consumption.js';
import { createEmbeddedBus } from '../embedded/embedded-bus.js';
import { createKafkaBus } from '../index.js';
import type { EventBus, ReceivedEvent } from '../event-bus.port.js';
import { AccountChanged, WebhookStopped } from '../testing/sample-events.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const database = testDatabase();
let messages: DataSource;
let webhooks: DataSource;

const openSchema = async (schema: 'messages' | 'webhooks') => {
  const migrations = OUTBOX_MIGRATIONS;
  const dataSource = await openDatabase({
    url: database.url,
    schema,
    entities: [],
    migrations,
    poolSize: 4,
    logger,
  });
  await dataSource.query(
    'create table effects (position bigint generated always as identity, key uuid, n int, consumer text)',
  );
  return dataSource;
};

beforeAll(async () => {
  messages = await openSchema('messages');
  webhooks = await openSchema('webhooks');
});
afterAll(async () => {
  await messages?.destroy();
  await webhooks?.destroy();
});
beforeEach(async () => {
  for (const dataSource of [messages, webhooks])
    await dataSource.query('truncate effects, inbox, dead_letters');
});

const [ONE, TWO, THREE] = [newId(), newId(), newId()];

function changed(account_id: string, revision: number, only_for?: string): EventEnvelope {
  const fact = { account_id, parent_account_id: null, state: 'active' as const, revision };
  return AccountChanged.make(fact, { account_id, only_for });
}

const stopped = (webhook_id: string): EventEnvelope =>
  WebhookStopped.make({ webhook_id, reason: 'deleted' }, { account_id: null });

let place = 0;
const received = (...events: EventEnvelope[]): ReceivedEvent[] =>
  events.map((event) => ({
    stream: event.stream,
    at: `${event.stream}/0/${(place += 1)}`,
    text: JSON.stringify(event),
    mayRepeat: true,
  }));

type Fail = (events: readonly EventEnvelope[]) => void;
const revisionOf = (event: EventEnvelope): number => (event.data as { revision: number }).revision;

/** Writes down what it is given; `fail` throws before that. */
function writer(name: string, fail: Fail = () => undefined): ConsumerEntry {
  return {
    name,
    event: AccountChanged as never,
    handle: async (tx, events) => {
      await tx.query(
        `insert into effects (key, n, consumer)
         select * from unnest($1::uuid[], $2::int[], $3::text[])`,
        [events.map(({ key }) => key), events.map(revisionOf), events.map(() => name)],
      );
      fail(events);
    },
  };
}

const consumption = (dataSource: DataSource, ...consumers: ConsumerEntry[]) => {
  const service = dataSource === messages ? 'messages' : 'webhooks';
  const died: FailureKind[] = [];
  const ignored: number[] = [];
  const pauses: number[] = [];
  const observer = {
    died: (kind: FailureKind) => void died.push(kind),
    ignored: (events: number) => void ignored.push(events),
  };
  const pause = async (ms: number) => void pauses.push(ms);
  return Object.assign(new EventConsumption({ service, dataSource, consumers, logger, observer, pause }), {
    died,
    ignored,
    pauses,
  });
};

/** `key/n` in the order in which it was done. */
const effects = async (dataSource = messages): Promise<string[]> => {
  const rows: { key: string; n: number }[] = await dataSource.query(
    'select key, n from effects order by position',
  );
  return rows.map(({ key, n }) => `${[ONE, TWO, THREE].indexOf(key)}/${n}`);
};
const deadLetters = (dataSource = messages) => listDeadLetters(dataSource, { limit: 100 });

describe('a batch', () => {
  it('is one transaction: what fails in its last run takes back the first', async () => {
    const seen: number[] = [];
    const other: ConsumerEntry = {
      name: 'messages.other',
      event: WebhookStopped as never,
      handle: async (tx) => {
        seen.push(Number((await tx.query('select count(*) as rows from effects'))[0]?.rows));
        throw new Transient('the database restarts');
      },
    };
    const under = consumption(messages, writer('messages.sample'), other);
    await expect(under.handle(received(changed(ONE, 1), stopped(TWO)))).rejects.toThrow('restarts');
    expect(seen).toEqual([1]);
    expect(await effects()).toEqual([]);
    expect(await messages.query('select from inbox')).toEqual([]);
  });

  it('counts an event once per consumer, however often it is named or comes', async () => {
    const event = changed(ONE, 1);
    const [first, second] = [
      consumption(messages, writer('messages.a')),
      consumption(messages, writer('messages.b')),
    ];
    await first.handle(received(event, event));
    await first.handle(received(event, changed(ONE, 2)));
    expect(await effects()).toEqual(['0/1', '0/2']);
    await second.handle(received(event));
    expect(await effects()).toEqual(['0/1', '0/2', '0/1']);
  });

  it('keeps the order of a key, over failures too', async () => {
    const under = consumption(
      messages,
      writer('messages.sample', (events) => {
        if (events.some((event) => revisionOf(event) === 3 && event.key === TWO)) throw new Permanent('no');
      }),
    );
    const events = [1, 2, 3, 4, 5].flatMap((n) => [changed(ONE, n), changed(TWO, n)]);
    await under.handle(received(...events));
    const done = await effects();
    expect(done.filter((one) => one.startsWith('0'))).toEqual(['0/1', '0/2', '0/3', '0/4', '0/5']);
    expect(done.filter((one) => one.startsWith('1'))).toEqual(['1/1', '1/2', '1/4', '1/5']);
    expect(under.died).toEqual(['permanent']);
  });

  it('calls what a consumer returns after the commit, and never again', async () => {
    const seen: number[] = [];
    const count = async () =>
      seen.push(Number((await messages.query('select count(*) as n from effects'))[0]?.n));
    const waking: ConsumerEntry = {
      ...writer('messages.sample'),
      handle: async (tx: EntityManager, events) => {
        await writer('messages.sample').handle(tx, events);
        const fails = () => {
          throw new Error('the woken loop has a bug');
        };
        return [fails, () => void count()];
      },
    };
    await consumption(messages, waking).handle(received(changed(ONE, 1)));
    await expect.poll(() => seen).toEqual([1]);
    expect(await deadLetters()).toEqual([]);
  });

  it('leaves events of others alone, and counts them', async () => {
    const under = consumption(messages, writer('messages.sample'));
    await under.handle(received(stopped(ONE), changed(ONE, 1)).map((one) => ({ ...one, passed: 1 })));
    expect(under.ignored).toEqual([3]);
    expect(await effects()).toEqual(['0/1']);
  });

  it('leaves an event for another service alone, though its consumer takes such events', async () => {
    const events = [changed(ONE, 1, 'messages'), changed(ONE, 2, 'webhooks'), changed(ONE, 3)];
    const own = consumption(webhooks, writer('webhooks.accounts'));
    await own.handle(received(...events));
    expect(await webhooks.query('select n from effects order by n')).toEqual([{ n: 2 }, { n: 3 }]);
    expect(await webhooks.query('select from inbox')).toHaveLength(2);
    expect(own.ignored).toEqual([1]);
  });

  it('does not count as handled when a consumer continued after a failed statement', async () => {
    const swallowing: ConsumerEntry = {
      ...writer('messages.sample'),
      handle: async (tx: EntityManager) => {
        await tx.query('select 1 / 0').catch(() => undefined);
      },
    };
    const under = consumption(messages, swallowing);
    await under.handle(received(changed(ONE, 1)));
    expect(await deadLetters()).toMatchObject([{ kind: 'bug', reason: expect.stringContaining('aborted') }]);
  });
});

describe('a batch that another process has handled meanwhile', () => {
  it('is not held against its events, whatever their consumers then meet', async () => {
    const [log, stream] = [newId(), 'accounts' as const];
    const own: ConsumerEntry = {
      ...writer('messages.sample'),
      handle: async (tx, events) => {
        await tx.query('insert into once (key) select * from unnest($1::uuid[])', [
          events.map(({ key }) => key),
        ]);
      },
    };
    await messages.query('create table once (key uuid primary key)');
    const [first, second] = [consumption(messages, own), consumption(messages, own)];
    await first.positions.load(log, [stream]);
    const batch = received(changed(ONE, 1)).map((one) => ({
      ...one,
      mayRepeat: false,
      place: { log, after: 0, position: 1 },
    }));
    await first.handle(batch);
    await expect(second.handle(batch)).rejects.toThrow('another process has handled these events');
    expect(await deadLetters()).toEqual([]);
    expect(await messages.query('select from once')).toHaveLength(1);
  });
});

describe('an event that cannot be handled', () => {
  it('becomes a dead letter once, whatever is wrong with it, and the rest is handled', async () => {
    const under = consumption(messages, writer('messages.sample'));
    const strange = { ...changed(ONE, 1), data: { account_id: 7 } };
    const batch: ReceivedEvent[] = [
      ...received(changed(ONE, 1), strange),
      { stream: 'accounts', at: 'accounts/0/7', text: 'no JSON \0 at all', mayRepeat: true },
      {
        stream: 'accounts',
        at: 'accounts/0/8',
        text: '{"id":"x","type":"account-changed","version":1}',
        mayRepeat: true,
      },
      {
        stream: 'accounts',
        at: 'accounts/0/9',
        text: `{"data":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
        mayRepeat: true,
      },
      ...received(changed(ONE, 2)),
    ];
    await under.handle(batch);
    await under.handle(batch);
    expect(await effects()).toEqual(['0/1', '0/2']);
    const about = { kind: 'poison', stream: 'accounts' };
    expect(await deadLetters()).toMatchObject([
      { ...about, consumer: 'messages.sample', eventId: strange.id, pattern: 'account-changed.v1' },
      {
        ...about,
        consumer: 'messages',
        eventId: 'accounts/0/7',
        pattern: null,
        envelope: 'no JSON \uFFFD at all',
      },
      { ...about, consumer: 'messages', eventId: 'x', pattern: 'account-changed.v1' },
      { ...about, consumer: 'messages', eventId: 'accounts/0/9', pattern: null },
    ]);
    expect(JSON.parse((await deadLetters())[0]?.envelope ?? '')).toEqual(strange);
  });

  it('is not given up for trouble that passes, nor for a bug that the next try does not meet', async () => {
    let tries = 0;
    const under = consumption(
      messages,
      writer('messages.sample', () => {
        tries += 1;
        if (tries === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        if (tries === 2) throw new TypeError('undefined is not a function');
      }),
    );
    const batch = received(changed(ONE, 1), changed(TWO, 1));
    await expect(under.handle(batch)).rejects.toThrow('ECONNREFUSED');
    await under.handle(batch);
    expect(tries).toBe(3);
    expect(await effects()).toEqual(['0/1', '1/1']);
    expect(await deadLetters()).toEqual([]);
  });

  it('is committed as handled with its dead letter, so that it does not come again', async () => {
    const under = consumption(
      messages,
      writer('messages.sample', () => {
        throw new Permanent('no such account');
      }),
    );
    const batch = received(changed(ONE, 1));
    await under.handle(batch);
    await messages.query('delete from dead_letters');
    await under.handle(batch);
    expect(await deadLetters()).toEqual([]);
    expect(under.died).toEqual(['permanent']);
  });
});

describe('a batch that takes too long', () => {
  /** The database cuts off what handles more events than `most` at once, or the one with this revision. */
  function slow(most: number, revision?: number): { tried: number[]; consumer: ConsumerEntry } {
    const tried: number[] = [];
    const { handle, ...about } = writer('messages.sample');
    const consumer: ConsumerEntry = {
      ...about,
      handle: async (tx, events) => {
        tried.push(events.length);
        await handle(tx, events);
        if (events.length <= most && !events.some((event) => revisionOf(event) === revision)) return;
        await tx.query(`set local statement_timeout = '20ms'`);
        await tx.query('select pg_sleep(10)');
      },
    };
    return { tried, consumer };
  }
  const many = (count: number, from = 0) =>
    received(...Array.from({ length: count }, (_, n) => changed(ONE, from + n)));

  it('is handled by halves, in order, and the next one begins with what was not too long', async () => {
    const { tried, consumer } = slow(30);
    const under = consumption(messages, consumer);
    await under.handle(many(100));
    expect(tried).toEqual([100, 50, 25, 25, 50, 25, 25]);
    expect(await effects()).toEqual(Array.from({ length: 100 }, (_, n) => `0/${n}`));
    tried.length = 0;
    await under.handle(many(20, 100));
    expect(tried).toEqual([20]);
    expect(await deadLetters()).toEqual([]);
  });

  it('of one event is tried three times; then it is a dead letter, and the rest is handled', async () => {
    const { tried, consumer } = slow(10, 2);
    const under = consumption(messages, consumer);
    const batch = many(5);
    await under.handle(batch);
    expect(tried.filter((events) => events === 1).length).toBeGreaterThanOrEqual(3);
    expect(under.pauses).toEqual([1_000, 5_000]);
    expect(await effects()).toEqual(['0/0', '0/1', '0/3', '0/4']);
    expect(await deadLetters()).toMatchObject([
      { eventId: JSON.parse(batch[2]?.text ?? '').id, reason: expect.stringContaining('statement timeout') },
    ]);
  });
});

describe('a replay', () => {
  const failing = { on: true };
  const whileOn = (name: string) =>
    writer(name, () => {
      if (failing.on) throw new Permanent(`${name} is closed`);
    });
  beforeEach(() => {
    failing.on = true;
  });

  it('hands dead letters to their own consumer, in order, and removes them', async () => {
    const under = consumption(messages, whileOn('messages.sample'));
    await under.handle(received(changed(ONE, 1), changed(TWO, 1), changed(ONE, 2)));
    failing.on = false;
    const [first] = await deadLetters();
    expect(await under.replay({ ids: [first?.id ?? '', newId()] })).toEqual({ replayed: 1, failed: 0 });
    expect(await under.replay({ consumer: 'messages.sample' })).toEqual({ replayed: 2, failed: 0 });
    expect(await effects()).toEqual(['0/1', '1/1', '0/2']);
    expect(await deadLetters()).toEqual([]);
    expect(await under.replay({})).toEqual({ replayed: 0, failed: 0 });
  });

  it('keeps what fails again, with its latest reason, and replays the rest', async () => {
    const under = consumption(
      messages,
      writer('messages.sample', (events) => {
        if (failing.on) throw new Permanent('first');
        if (events.some(({ key }) => key === TWO)) throw new Permanent('second');
      }),
    );
    await under.handle([
      ...received(changed(ONE, 1), changed(TWO, 1), changed(THREE, 1)),
      { stream: 'accounts', at: 'accounts/0/1', text: 'no JSON', mayRepeat: true },
    ]);
    failing.on = false;
    expect(await under.replay({})).toEqual({ replayed: 2, failed: 2 });
    expect(await deadLetters()).toMatchObject([{ reason: 'Error: second' }, { eventId: 'accounts/0/1' }]);
    const renamed = consumption(messages, writer('messages.renamed'));
    await renamed.replay({});
    expect((await deadLetters())[0]?.reason).toContain('no consumer messages.sample');
  });

  it('leaves everything as it was when the world is unwell', async () => {
    let isAway = false;
    const under = consumption(
      messages,
      writer('messages.sample', () => {
        throw isAway ? new Transient('the database restarts') : new Permanent('no');
      }),
    );
    await under.handle(received(changed(ONE, 1)));
    isAway = true;
    await expect(under.replay({})).rejects.toThrow('restarts');
    expect(await deadLetters()).toMatchObject([{ reason: 'Error: no' }]);
  });

  it('takes each dead letter once, however many ask at the same time', async () => {
    const under = consumption(messages, whileOn('messages.sample'));
    await under.handle(received(...Array.from({ length: 10 }, (_, n) => changed(ONE, n))));
    failing.on = false;
    const counts = await Promise.all([under.replay({}), under.replay({}), under.replay({})]);
    expect(counts.reduce((sum, { replayed }) => sum + replayed, 0)).toBe(10);
    expect(await effects()).toHaveLength(10);
  });
});

function onBus(name: string, open: () => Promise<EventBus>): void {
  describe(`on the ${name} bus`, () => {
    let bus: EventBus;
    beforeEach(async () => {
      bus = await open();
    });

    const join = (group: string, under: EventConsumption, on = bus) =>
      on.subscribe({
        group,
        streams: under.streams(),
        positions: under.positions,
        handle: (events) => under.handle(events),
      });

    it('a replay reaches no other group, not even one that has forgotten what it handled', async () => {
      let fails = true;
      const failing = consumption(
        messages,
        writer('messages.sample', () => {
          if (fails) throw new Permanent('no');
        }),
      );
      await join('messages', failing);
      await join('webhooks', consumption(webhooks, writer('webhooks.sample')));
      await bus.publish([changed(ONE, 1)]);
      await expect.poll(() => deadLetters()).toHaveLength(1);
      await expect.poll(() => effects(webhooks)).toHaveLength(1);
      await webhooks.query('truncate inbox');
      fails = false;
      expect(await failing.replay({})).toEqual({ replayed: 1, failed: 0 });
      await bus.publish([changed(ONE, 2)]);
      await expect.poll(() => effects()).toEqual(['0/1', '0/2']);
      await expect.poll(() => effects(webhooks)).toEqual(['0/1', '0/2']);
      await bus.close();
    });

    it('events are counted once each over transient trouble, poison and a second member', async () => {
      let unwell = 3;
      const fail: Fail = (events) => {
        if (unwell-- > 0) throw new Transient('busy');
        if (events.some((event) => revisionOf(event) === 13)) throw new Permanent('thirteen is refused');
      };
      await join('messages', consumption(messages, writer('messages.sample', fail)));
      const all = Array.from({ length: 60 }, (_, n) => changed([ONE, TWO, THREE][n % 3] ?? ONE, n));
      for (let at = 0; at < all.length; at += 20) await bus.publish(all.slice(at, at + 20));
      await expect.poll(() => effects()).toHaveLength(59);
      const second = await open();
      await join('messages', consumption(messages, writer('messages.sample', fail)), second);
      await bus.publish([changed(ONE, 60)]);
      await expect.poll(() => effects()).toHaveLength(60);
      await pause(300);
      expect(await effects()).toHaveLength(60);
      expect(await deadLetters()).toMatchObject([
        { kind: 'permanent', reason: expect.stringContaining('thirteen') },
      ]);
      await second.close();
      await bus.close();
    });
  });
}

onBus('embedded', () => createEmbeddedBus({ url: database.url }));

const brokers = realPart('KAFKA_BROKERS', process.env['KAFKA_BROKERS']?.split(','));
if (brokers) {
  let installation = 0;
  let prefix = '';
  let opened = 0;
  beforeEach(() => {
    prefix = `t${newId()}-${(installation += 1)}.`;
  });
  onBus('Kafka', () =>
    createKafkaBus({ brokers, clientId: `consumption-${(opened += 1)}`, prefix, sessionTimeoutMs: 6_000 }),
  );
}
