import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalInternet, type LocalInternet } from '@postmesh/local-internet';
import { createLogger } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { createTestDatabase, realPart, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKafka } from '../../../../tools/real/kafka.mjs';
import { startRedis } from '../../../../tools/real/redis.mjs';
import { FleetClient } from '../fleet-client.js';
import { Fleet, onRealParts } from '../fleet.js';
import { SteadyLoad } from './steady-load.js';

const given = loadSettings();
// Says only whether this machine has them: what is killed here is the test's own.
const isRunnable =
  realPart('KAFKA_BROKERS', given.kafkaBrokers) !== undefined &&
  realPart('REDIS_URL', given.redisUrl) !== undefined;

const WEBHOOKS = 2;
const RECIPIENTS = 2;
const TYPES = ['message.reception', 'message.delivered'];
const MESSAGES_MEANWHILE = 20;
const CALLS_BEFORE_A_KILL = 40;
const ALL_IN_MS = 120_000;

describe.runIf(isRunnable)('kill -9 of what brings events to webhooks, each a process of its own', () => {
  let dir: string;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let internet: LocalInternet;
  let receiver: HttpReceiver;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let kafka: Awaited<ReturnType<typeof startKafka>>;
  let fleet: Fleet;
  let client: FleetClient;
  const beginRedis = async () => {
    redis = await startRedis({ dir: join(dir, 'redis'), keepData: true });
  };
  const beginKafka = async () => {
    kafka = await startKafka({ dir: join(dir, 'kafka'), keepData: true });
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'postmesh-kills-'));
    database = await createTestDatabase();
    receiver = await startHttpReceiver();
    internet = await startLocalInternet({
      mailboxPort: 0,
      recordsSource: async () => client.inside('domains', '/operator/zone'),
      logger: createLogger({ logLevel: 'warn' }, 'local-internet'),
    });
    await Promise.all([beginRedis(), beginKafka()]);
    fleet = new Fleet({
      ...onRealParts({
        databaseUrl: database.url,
        brokers: [kafka.env.KAFKA_BROKERS],
        redisUrl: redis.env.REDIS_URL,
        internet,
      }),
      POSTMESH_WEBHOOK_RETRY_SCALE: '0.05',
    });
    client = new FleetClient(fleet);
    const others = ['domains', 'messages', 'webhooks', 'webhook-dispatcher', 'delivery-worker'] as const;
    await fleet.choosePorts(['accounts', ...others, 'gateway']);
    await fleet.start('accounts', 'accounts');
    await Promise.all(others.map((service) => fleet.start(service, service)));
    client.gateways.push(await fleet.startGateway('gateway'));
    await client.signUp();
    expect((await client.api(0, 'POST', '{A}/domains', { domain: 'corp.test' })).status).toBe(201);
    expect((await client.api(0, 'POST', '{A}/domains/corp.test/check-dns')).body.dns_valid).toBe(true);
  }, 240_000);

  afterAll(async () => {
    await fleet?.stop();
    await Promise.all([kafka?.stop(), redis?.stop()]);
    await internet?.stop();
    await receiver?.close();
    await database?.drop();
    if (dir) await rm(dir, { recursive: true, force: true });
  }, 60_000);

  /** Each is killed in turn, and comes back on the same port with what it had written. */
  const victims: { kill: () => unknown; begin: () => Promise<void> }[] = [
    ...['webhook-dispatcher', 'webhooks'].map((name) => ({
      kill: () => fleet.kill(name, 'SIGKILL'),
      begin: () => fleet.restart(name),
    })),
    { kill: () => process.kill(redis.pid, 'SIGKILL'), begin: beginRedis },
    { kill: () => process.kill(kafka.pid, 'SIGKILL'), begin: beginKafka },
  ];

  async function makeWebhooks(): Promise<string[]> {
    const body = { name: 'W', url: receiver.url, scope: 'global', on_reception: true, on_delivered: true };
    const ids: string[] = [];
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      const made = await client.api(0, 'POST', '{A}/webhooks', body);
      expect(made.status).toBe(201);
      ids.push(made.body.id);
    }
    return ids;
  }

  /** One message, a record and events for each recipient. @returns them @throws Error when it is refused */
  async function send(number: number): Promise<string[]> {
    const to = Array.from({ length: RECIPIENTS }, (_, nth) => `r${number}-${nth}@mail.test`);
    const { status, body } = await client.api(0, 'POST', '{A}/messages/conversation', {
      from: { email: 'news@corp.test' },
      to: to.map((email) => ({ email })),
      subject: `Message ${number}`,
      text_content: 'Hello',
      sandbox: true,
    });
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    return to;
  }

  /** Messages come in and calls go out, so that whoever is killed next has its hands full. */
  const isUnderWay = async (load: SteadyLoad) => {
    await load.accepts(MESSAGES_MEANWHILE);
    await receiver.waitFor(receiver.requests.length + CALLS_BEFORE_A_KILL, { timeoutMs: ALL_IN_MS });
  };

  it('spec 2-messages §18 rule 10: with webhooks, dispatcher, Redis and broker killed in turn, every event comes at least once, each repeat under its first id', async () => {
    slowAndSometimesUnwell(receiver);
    const hooks = await makeWebhooks();
    const load = new SteadyLoad(send);
    try {
      for (const { kill, begin } of victims) {
        await isUnderWay(load);
        await kill();
        await load.accepts(MESSAGES_MEANWHILE);
        await begin();
      }
      await isUnderWay(load);
    } finally {
      await load.end();
    }
    // none of the four is asked when a message is accepted
    expect(load.refused).toEqual([]);
    const wanted = hooks.flatMap((hook) =>
      load.accepted.flatMap((recipient) => TYPES.map((type) => `${hook} ${type} ${recipient}`)),
    );
    const missing = () => {
      const came = idsPerEvent(receiver);
      return wanted.filter((event) => !came.has(event)).slice(0, 5);
    };
    await expect.poll(missing, { timeout: ALL_IN_MS, interval: 500 }).toEqual([]);
    const came = idsPerEvent(receiver);
    const ids = wanted.map((event) => [...(came.get(event) ?? [])]);
    expect(ids.filter(({ length }) => length !== 1)).toEqual([]);
    // no two events have one
    expect(new Set(ids.flat()).size).toBe(wanted.length);
    expect(receiver.requests.length).toBeGreaterThan(wanted.length);
  }, 400_000);
});

/** Calls are in flight at any time then, and some come again without any kill. */
function slowAndSometimesUnwell(receiver: HttpReceiver): void {
  const failed = new Set<unknown>();
  receiver.respondWith(({ headers }, nth) => {
    const id = headers['webhook-id'];
    if (nth % 10 > 0 || failed.has(id)) return { delayMs: 20 };
    failed.add(id);
    return { delayMs: 20, status: 500 };
  });
}

/** webhook, type and recipient → the `webhook-id`s under which that came */
function idsPerEvent({ requests }: HttpReceiver): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { headers, body } of requests) {
    const { webhook_id, type, data } = JSON.parse(body.toString());
    const event = `${webhook_id} ${type} ${data.recipient}`;
    ids.set(event, (ids.get(event) ?? new Set()).add(String(headers['webhook-id'])));
  }
  return ids;
}
