import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalInternet, type LocalInternet } from '@postmesh/local-internet';
import { createLogger } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { createTestDatabase, realPart, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { FleetClient } from './fleet-client.js';
import { STEPS_OF_A_MESSAGE, stepsOf, TraceCollector } from './trace-collector.js';
import { Fleet, onRealParts } from '../../../tools/ledger/fleet.mjs';

const given = loadSettings();
const brokers = realPart('KAFKA_BROKERS', given.kafkaBrokers);
const redis = realPart('REDIS_URL', given.redisUrl);

const MESSAGES = 240;

interface Message {
  to: string[];
  auth: { spf: string; dkim: string; dmarc: string };
}

describe.runIf(brokers && redis)(
  'every service that mail goes through as its own process, on real Kafka, Redis and PostgreSQL',
  () => {
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    let internet: LocalInternet;
    let receiver: HttpReceiver;
    let collector: TraceCollector;
    let fleet: Fleet;
    let client: FleetClient;
    const api = (method: string, path: string, body?: unknown) => client.api(method, path, body);

    beforeAll(async () => {
      database = await createTestDatabase();
      receiver = await startHttpReceiver();
      collector = await TraceCollector.start();
      internet = await startLocalInternet({
        mailboxPort: 0,
        recordsSource: async () => client.inside('domains', '/operator/zone'),
        logger: createLogger({ logLevel: 'warn' }, 'local-internet'),
      });
      fleet = new Fleet({
        ...onRealParts({
          databaseUrl: database.url,
          brokers: brokers ?? [],
          redisUrl: redis ?? '',
          internet,
        }),
        POSTMESH_DELIVERY_CONCURRENCY: '20',
        ...collector.settings,
      });
      client = new FleetClient(fleet);
      await fleet.choosePorts([
        'accounts',
        'domains',
        'messages',
        'webhooks',
        'webhook-dispatcher',
        'delivery-1',
        'delivery-worker',
        'gateway',
      ]);
      await fleet.start('accounts', 'accounts');
      await Promise.all([fleet.start('domains', 'domains'), fleet.start('messages', 'messages')]);
      await Promise.all([
        fleet.start('webhooks', 'webhooks'),
        fleet.start('webhook-dispatcher', 'webhook-dispatcher'),
      ]);
      await Promise.all(
        ['delivery-1', 'delivery-worker'].map((name) => fleet.start(name, 'delivery-worker')),
      );
      client.gateway = await fleet.startGateway('gateway');
      await client.signUp();
    }, 180_000);

    afterAll(async () => {
      await fleet?.stop();
      await internet?.stop();
      await receiver?.close();
      await collector?.close();
      await database?.drop();
    }, 60_000);

    const inbox = async () => {
      const response = await fetch(`${internet.mailboxUrl.replace(/\/$/, '')}/api/messages?limit=5000`);
      return ((await response.json()) as { messages: Message[] }).messages;
    };

    it('delivers everything although a worker is killed in the middle', async () => {
      expect((await api('POST', '{A}/domains', { domain: 'corp.test' })).status).toBe(201);
      expect((await api('POST', '{A}/domains/corp.test/check-dns')).body.dns_valid).toBe(true);
      const webhook = await api('POST', '{A}/webhooks', {
        name: 'All',
        url: receiver.url,
        scope: 'global',
        on_reception: true,
        on_delivered: true,
      });
      expect(webhook.status).toBe(201);

      const ids: string[] = [];
      const send = async (number: number) => {
        const sent = await api('POST', '{A}/messages/conversation', {
          from: { email: 'news@corp.test' },
          to: [{ email: number % 8 === 0 ? `slow${number}@mail.test` : `r${number}@mail.test` }],
          subject: `Message ${number}`,
          text_content: 'Hello',
        });
        expect(sent.status).toBe(202);
        ids.push(sent.body.data[0].id as string);
      };
      for (let from = 0; from < MESSAGES; from += 40) {
        await Promise.all(Array.from({ length: 40 }, (_, at) => send(from + at)));
        // slow recipients keep both workers busy: this one dies with messages in its hands
        if (from === 80) await fleet.kill('delivery-1', 'SIGKILL');
      }
      await expect
        .poll(async () => new Set((await inbox()).map(({ to }) => to[0])).size, {
          timeout: 120_000,
          interval: 500,
        })
        .toBe(MESSAGES);
      const messages = await inbox();
      expect(
        messages.every(({ auth }) => auth.spf === 'pass' && auth.dkim === 'pass' && auth.dmarc === 'pass'),
      ).toBe(true);

      await expect
        .poll(
          async () => {
            const reads = await Promise.all(
              ids.map((id) => api('GET', `{A}/messages/${encodeURIComponent(id)}`)),
            );
            return [...new Set(reads.map(({ body }) => body.status as string))];
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toEqual(['Delivered']);

      const types = () => {
        const seen = new Map<string, Set<string>>();
        for (const { headers, body } of receiver.requests) {
          const { type } = JSON.parse(body.toString()) as { type: string };
          seen.set(type, (seen.get(type) ?? new Set()).add(String(headers['webhook-id'])));
        }
        return Object.fromEntries([...seen].map(([type, calls]) => [type, calls.size]));
      };
      await expect
        .poll(types, { timeout: 60_000, interval: 500 })
        .toEqual({ 'message.reception': MESSAGES, 'message.delivered': MESSAGES });
    }, 300_000);

    it('traces a message through every process and over Kafka', async () => {
      const sent = await api('POST', '{A}/messages/conversation', {
        from: { email: 'news@corp.test' },
        to: [{ email: 'traced@mail.test' }],
        subject: 'Not to be told',
        text_content: 'Hello',
      });
      const [, id = ''] = /^<(.+)@/.exec(sent.body.data[0].id as string) ?? [];
      await expect
        .poll(() => stepsOf(collector.ofMessage(id)), { timeout: 60_000 })
        .toMatchObject(STEPS_OF_A_MESSAGE);
      for (const text of ['mail.test', 'corp.test', 'Not to be told'])
        expect(collector.text).not.toContain(text);
    }, 90_000);
  },
);
