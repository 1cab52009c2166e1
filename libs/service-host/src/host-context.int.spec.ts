import { loadSettings } from '@postmesh/settings';
import { CuttableProxy, realPart, testDatabase } from '@postmesh/testing';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHostContext } from './host-context.js';

const database = testDatabase();
const [broker] = realPart('KAFKA_BROKERS', loadSettings().kafkaBrokers) ?? [];
const redisUrl = realPart('REDIS_URL', loadSettings().redisUrl);

/** Proxies of Kafka and Redis that open when a start logs that it waits for them. */
async function startBefore(parts: { kafka?: string; redis?: string }) {
  const closed = async (url: string | undefined) => {
    if (url === undefined) return undefined;
    const way = await CuttableProxy.start(url);
    await way.cut();
    return way;
  };
  const ways = {
    kafka: await closed(parts.kafka && `kafka://${parts.kafka}`),
    redis: await closed(parts.redis),
  };
  const said: { event: string; what: string }[] = [];
  const mend = (line: string) => {
    const { event, what } = JSON.parse(line) as { event: string; what: string };
    if (!event.endsWith('.awaited')) return;
    said.push({ event, what });
    void (event === 'kafka.awaited' ? ways.kafka : ways.redis)?.mend();
  };
  const settings = {
    ...loadSettings(),
    databaseUrl: database.url,
    kafkaBrokers: ways.kafka ? [new URL(ways.kafka.url).host] : [],
    redisUrl: ways.redis?.url,
  };
  const logger = pino({ level: 'warn' }, { write: mend });
  const context = await createHostContext(settings, 'start', { logger });
  const isReady = context.bus.ready() && context.jobs!.ready();
  await context.close();
  for (const way of Object.values(ways)) await way?.cut();
  return { said: [...new Set(said.map(({ event, what }) => `${event} ${what}`))], isReady };
}

describe('a process that starts before', () => {
  it.runIf(broker !== undefined)(
    'Kafka waits for it, and says so',
    async () => {
      const { said, isReady } = await startBefore({ kafka: broker });
      expect([said, isReady]).toEqual([['kafka.awaited the event bus'], true]);
    },
    60_000,
  );

  it.runIf(redisUrl !== undefined)(
    'Redis waits for it, and says so',
    async () => {
      const { said, isReady } = await startBefore({ redis: redisUrl });
      expect([said, isReady]).toEqual([['redis.awaited jobs'], true]);
    },
    60_000,
  );
});
