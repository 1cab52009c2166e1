// @ts-check
// (k) Webhook calls: events per second from one dispatcher to 1, 10 and 1,000 endpoints on loopback, the time of an
// event from its publication to its receipt, and the same with another account whose hosts never reply.
import { randomBytes, randomUUID } from 'node:crypto';
import { percentiles, round } from './figures.rules.mjs';
import { makeFolder, nowMicros, removeFolder, sleep, waitUntil } from '../tools/processes.mjs';
import { Worker } from './workers.mjs';

const ENDPOINTS = [1, 10, 1_000];
const BATCH = 500;
const WARM_UP = 500;
const PACED_PER_SECOND = 100;
const PACED_SECONDS = 5;
const SILENT_HOSTS = 13;
const SILENT_CALLS = 40;
const VICTIM_CALLS = 40;
const LIMIT_MS = 300_000;
const LONG_AGO_MS = 40 * 86_400_000;
// The payload of a message event.
const BODY_BYTES = 450;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export async function measureWebhooks({ options }) {
  const folder = makeFolder('webhooks');
  const { startEmbeddedPostgres } = await import('../libs/database/dist/index.js');
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  const receiver = new Worker('webhook-receiver.mjs');
  try {
    const dispatcher = await Dispatcher.start(postgres.url, receiver);
    try {
      await dispatcher.flood(1, WARM_UP);
      const runs = [];
      for (const endpoints of ENDPOINTS) {
        runs.push({
          endpoints,
          events: options.webhookEvents,
          ...(await dispatcher.flood(endpoints, options.webhookEvents)),
          published_to_received_ms: await dispatcher.paced(endpoints),
        });
      }
      return {
        name: 'webhook calls, one dispatcher, publication to receipt',
        runs,
        with_silent_hosts: await dispatcher.withSilentHosts(),
        kept: await dispatcher.keeping(options.webhookKept),
      };
    } finally {
      await dispatcher.stop();
    }
  } finally {
    await receiver.stop();
    await postgres.stop();
    removeFolder(folder);
  }
}

/** The service with its database and its bus; other services are test doubles that have every webhook. */
class Dispatcher {
  /** @type {Map<string, number>} header `webhook-id` → microseconds of its publication */
  published = new Map();

  /** @param {Record<string, any>} parts */
  constructor({ under, secrets, targets, receiver, port, WebhookDeliveryRequested }) {
    this.under = under;
    this.secrets = secrets;
    this.targets = targets;
    this.receiver = receiver;
    this.port = port;
    this.WebhookDeliveryRequested = WebhookDeliveryRequested;
  }

  static async start(databaseUrl, receiver) {
    const { startTestService } = await import('../libs/service-testing/dist/index.js');
    const { SecretBox } = await import('../libs/secrets/dist/index.js');
    const { WEBHOOK_DISPATCHER_SERVICE } =
      await import('../services/webhook-dispatcher/dist/webhook-dispatcher.definition.js');
    const { WebhookDeliveryRequested } = await import('../services/webhooks/contract/dist/index.js');
    const port = await receiver.ask('start');
    /** @type {Map<string, { url: string, sealed_secret: string }>} */
    const targets = new Map();
    const under = await startTestService(WEBHOOK_DISPATCHER_SERVICE, {
      databaseUrl,
      neighbours: {
        webhooks: (/** @type {any} */ { body }) => ({
          status: 200,
          body: {
            targets: body.webhook_ids.map((webhook_id) => ({ webhook_id, ...targets.get(webhook_id) })),
          },
        }),
      },
      settings: { outgoingHttpAllow: ['127.0.0.0/8'], logLevel: 'silent', databasePoolSize: 8 },
    });
    const secrets = under.service.get(SecretBox);
    return new Dispatcher({ under, secrets, targets, receiver, port, WebhookDeliveryRequested });
  }

  stop() {
    return this.under.stop();
  }

  /** @param {number} [port] @returns an endpoint that is called there */
  endpoint(port = this.port) {
    const id = randomUUID();
    const url = `http://127.0.0.1:${port}/${id}`;
    const sealed_secret = this.secrets.seal(`pm-whsec-${randomBytes(32).toString('hex')}`, `webhook/${id}`);
    this.targets.set(id, { url, sealed_secret });
    return { id, host: `127.0.0.1:${port}` };
  }

  event({ id, host }, accountId) {
    const delivery_id = randomUUID();
    const body = JSON.stringify({ type: 'message.delivered', webhook_id: id, data: 'x'.repeat(BODY_BYTES) });
    return this.WebhookDeliveryRequested.make(
      {
        delivery_id,
        webhook_id: id,
        host,
        webhook_message_id: `msg_${delivery_id.replaceAll('-', '')}`,
        event_type: 'message.delivered',
        body,
        due_at: new Date().toISOString(),
      },
      { account_id: accountId },
    );
  }

  async publish(events) {
    const now = nowMicros();
    for (const { data } of events) this.published.set(data.webhook_message_id, now);
    await this.under.bus.publish(events);
  }

  /** All of them at once. */
  async flood(count, events) {
    const endpoints = Array.from({ length: count }, () => this.endpoint());
    const account = randomUUID();
    const made = Array.from({ length: events }, (_, nth) => this.event(endpoints[nth % count], account));
    const begun = nowMicros();
    for (let at = 0; at < made.length; at += BATCH) await this.publish(made.slice(at, at + BATCH));
    const came = await this.received(events);
    const seconds = (Math.max(...Object.values(came)) - begun) / 1e6;
    return { seconds: round(seconds, 2), events_per_second: round(events / seconds) };
  }

  /** A few hundred a second, below its capacity. */
  async paced(count) {
    const endpoints = Array.from({ length: count }, () => this.endpoint());
    const account = randomUUID();
    const events = PACED_PER_SECOND * PACED_SECONDS;
    for (let nth = 0; nth < events; nth += 1) {
      const begun = performance.now();
      await this.publish([this.event(endpoints[nth % count], account)]);
      await sleep(Math.max(0, 1_000 / PACED_PER_SECOND - (performance.now() - begun)));
    }
    return this.waits(await this.received(events));
  }

  /** Calls of another account, alone and with hosts that never reply. */
  async withSilentHosts() {
    const victim = async () => {
      const [endpoint, account] = [this.endpoint(), randomUUID()];
      for (let nth = 0; nth < VICTIM_CALLS; nth += 1) {
        await this.publish([this.event(endpoint, account)]);
        await sleep(50);
      }
      return this.waits(await this.received(VICTIM_CALLS));
    };
    const alone = await victim();
    const ports = await this.receiver.ask('silent', { hosts: SILENT_HOSTS });
    const account = randomUUID();
    const silent = ports.map((port) => this.endpoint(port));
    const flood = Array.from({ length: SILENT_HOSTS * SILENT_CALLS }, (_, nth) =>
      this.event(silent[nth % SILENT_HOSTS], account),
    );
    await this.under.bus.publish(flood);
    const during = await victim();
    return { hosts: SILENT_HOSTS, calls: flood.length, alone_ms: alone, during_ms: during };
  }

  /** Size of a day of attempts and ended deliveries, and the time to drop it. */
  async keeping(rows) {
    const { DataSource } = await import('typeorm');
    const { KeepByDay } = await import('../services/webhook-dispatcher/dist/record/keep-by-day.js');
    const database = this.under.service.get(DataSource);
    const day = new Date(Date.now() - LONG_AGO_MS).toISOString().slice(0, 10);
    const figures = { rows };
    for (const [table, insert] of Object.entries(KEPT_ROWS)) {
      const name = `${table}_${day.replaceAll('-', '')}`;
      await database.query(
        `create table ${name} partition of ${table} for values from ('${day} 00:00:00Z') to ('${day} 24:00:00Z')`,
      );
      const begun = performance.now();
      await database.query(insert, [rows, `${day} 00:00:00Z`]);
      const seconds = (performance.now() - begun) / 1_000;
      const [{ bytes }] = await database.query(`select pg_total_relation_size('${name}')::float8 as bytes`);
      figures[table] = { written_per_second: round(rows / seconds), bytes_per_row: round(bytes / rows) };
    }
    const begun = performance.now();
    await this.under.service.get(KeepByDay).run(new AbortController().signal);
    return { ...figures, forgotten_ms: round(performance.now() - begun) };
  }

  async received(count) {
    await waitUntil(async () => (await this.receiver.ask('counts')).events >= count, { limitMs: LIMIT_MS });
    return this.receiver.ask('take');
  }

  waits(came) {
    return percentiles(Object.entries(came).map(([id, at]) => at - (this.published.get(id) ?? at)));
  }
}

// In their stored form, from 1,000 endpoints.
const KEPT_ROWS = {
  webhook_attempts: `insert into webhook_attempts (delivery_id, attempt, target, endpoint_id, account_id, event_type, host,
      started_at, duration_ms, status, redirects, response, outcome)
    select gen_random_uuid(), 1, 'webhook', lpad((n % 1000)::text, 32, '0')::uuid, lpad((n % 100)::text, 32, '0')::uuid,
      'message.delivered', 'hooks.shop.test', $2::timestamptz + n * interval '1 ms', 40, 200, 0, '{"ok":true}', 'succeeded'
    from generate_series(1, $1::int) as n`,
  ended_deliveries: `insert into ended_deliveries (id, account_id, target, endpoint_id, host, trace, webhook_message_id,
      event_type, body, requested_at, ended_at, outcome, attempts)
    select gen_random_uuid(), lpad((n % 100)::text, 32, '0')::uuid, 'webhook', lpad((n % 1000)::text, 32, '0')::uuid,
      'hooks.shop.test', md5(n::text), 'msg_' || md5(n::text), 'message.delivered', repeat(md5(n::text), ${Math.ceil(BODY_BYTES / 32)}),
      $2::timestamptz + n * interval '1 ms', $2::timestamptz + n * interval '1 ms', 'succeeded', 1
    from generate_series(1, $1::int) as n`,
};
