import type { DataSource } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { SINGLE } from '@postmesh/work';
import { createLogger, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { createTestDatabase, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import {
  heldResponse,
  isSigned,
  startDispatcher,
  type DispatcherUnderTest,
} from '../testing/dispatcher-under-test.js';
import { groupKeyOf } from './webhook-deliveries.table.js';
import { WebhookQueue } from './webhook-queue.js';

/** the answers of the webhooks service, for every dispatcher of this file */
const targets: DispatcherUnderTest['targets'] = new Map();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freshDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  return url;
}

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

/** A dispatcher with a `stop` that may be called early. */
async function dispatcher(
  url: string,
  more: Parameters<typeof startDispatcher>[1] = {},
): Promise<DispatcherUnderTest> {
  const under = await startDispatcher(url, { logLevel: 'silent', targets, ...more });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= under.stop());
  closing.push(stop);
  return { ...under, stop };
}

/** The tables without a dispatcher, for the rows of one that claimed calls and disappeared. */
async function tables(url: string) {
  const dataSource = await openDatabase({
    url,
    schema: 'webhook_dispatcher',
    entities: [],
    migrations: [],
    poolSize: 2,
    logger: createLogger({ logLevel: 'silent' }, 'test'),
  });
  closing.push(() => dataSource.destroy());
  return dataSource;
}

/** Ends the leases of all claimed deliveries now. */
async function endLeases(under: DispatcherUnderTest): Promise<void> {
  await under.database.query(
    `update webhook_deliveries set leased_until = now() - interval '1 second' where leased_until is not null`,
  );
  await under.service.get(WebhookQueue).queue.lease.freeAbandoned();
}

/** Claims everything for a dispatcher with a heartbeat. */
const takeAll = (tablesOf: DataSource, worker: string) =>
  tablesOf.query(
    `with alive as (insert into workers values ($1, now(), now() + interval '1 hour'))
     update webhook_deliveries set state = 'leased', lease_owner = $1, lease_token = lease_token + 1,
       attempts = attempts + 1, leased_until = now() + interval '15 minutes' returning id, lease_token`,
    [worker],
  );

describe('a dispatcher that dies between claim and record', () => {
  it('leaves the call to another one, which makes it under the same id after the end of the lease', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const first = await dispatcher(url);
    const webhookId = newId();
    const event = first.request(`${receiver.url}/late`, {
      webhookId,
      dueAt: new Date(Date.now() + 3_600_000),
    });
    const behind = first.request(`${receiver.url}/late`, { webhookId });
    await first.bus.publish([event, behind]);
    await receiver.waitFor(1);
    await first.stop();
    receiver.clear();

    const dead = await tables(url);
    await dead.query(`update webhook_deliveries set due_at = now() - interval '1 second'`);
    const [taken] = await takeAll(dead, newId());
    expect(taken).toMatchObject([{ id: event.data.delivery_id, lease_token: '1' }]);

    const second = await dispatcher(url);
    expect(await second.pending()).toMatchObject([{ id: event.data.delivery_id, lease_token: '1' }]);
    const warned: { event?: string }[] = [];
    second.service.get<Logger>(LOGGER).warn = (line: object) => void warned.push(line);
    await endLeases(second);
    const [request] = await receiver.waitFor(1, { where: ({ path }) => path === '/late' });
    expect(request!.headers['webhook-id']).toBe(event.data.webhook_message_id);
    expect(isSigned(request!)).toBe(true);
    const attempt = await second.until(() =>
      second.attempts.find(({ delivery_id }) => delivery_id === event.data.delivery_id),
    );
    expect(attempt).toMatchObject({ attempt: 1, success: true });
    const { delivery_id } = event.data;
    const lines = warned.filter(({ event: kind }) => kind === 'webhook.abandoned');
    expect(lines).toMatchObject([{ delivery_id, webhook_id: webhookId, attempt: 1 }]);
    const shown = await second.internal('GET', `/operator/deliveries/${event.data.delivery_id}`);
    expect(shown.body.attempts).toMatchObject([
      { attempt: 1, outcome: 'unknown', reason: 'its dispatcher stopped in the middle of the attempt' },
      { attempt: 1, outcome: 'succeeded' },
    ]);
    expect(await second.context.metrics.render()).toMatch(/postmesh_webhook_uncertain_total(\{[^}]*\})? 1/);
  });

  it('drops the call, as the fifth one that dies with it, with a reason; the call can be replayed', async () => {
    const receiver = await receive();
    const under = await dispatcher(await freshDatabase());
    const event = under.request(receiver.url, { dueAt: new Date(Date.now() + 3_600_000) });
    await under.bus.publish([event]);
    await expect.poll(() => under.pending()).toHaveLength(1);
    await takeAll(under.database, newId());
    await under.database.query('update webhook_deliveries set crashes = 4');
    await under.database.query(
      `update workers set heartbeat_at = now() - interval '1 minute' where heartbeat_at > now() + interval '1 minute'`,
    );
    await endLeases(under);
    await under.until(() =>
      under.attempts.find(({ delivery_id, success }) => delivery_id === event.data.delivery_id && !success),
    );
    const shown = await under.internal('GET', `/operator/deliveries/${event.data.delivery_id}`);
    expect(shown.body).toMatchObject({
      waiting: null,
      ended: { outcome: 'dropped', can_be_replayed: true },
      attempts: [
        { attempt: 1, outcome: 'dropped', reason: expect.stringMatching(/^set aside: 5 dispatchers/) },
      ],
    });
    expect(receiver.requests).toEqual([]);
  });

  it('cannot record the result any more (fencing)', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const { until, respond } = heldResponse();
    receiver.respondWith({ until });
    // with one permit only, the queue claims nothing else while that call is in flight
    const under = await dispatcher(url, { webhookConcurrency: 1, webhookTimeoutSeconds: 60 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);

    await takeAll(under.database, newId());
    const decision = {
      outcome: 'succeeded' as const,
      status: 200,
      reason: null,
      nextAttemptAt: null,
      askedUntil: null,
    };
    const { queue } = under.service.get(WebhookQueue);
    const attempt = { startedAt: new Date(), durationMs: 1, decision, redirects: 0, response: null };
    const delivery = {
      id: event.data.delivery_id,
      accountId: event.account_id ?? '',
      key: groupKeyOf(event.data.host, event.data.webhook_id),
      host: event.data.host,
      target: 'webhook' as const,
      route: null,
      requestedAt: new Date(),
      replayOf: null,
      messageId: null,
      dueAt: new Date(),
      attempt: 1,
      firstAttemptAt: new Date(),
      lane: SINGLE,
      leaseToken: '1',
      endpointId: event.data.webhook_id,
      trace: null,
      webhookMessageId: event.data.webhook_message_id,
      eventType: 'message.delivered',
      body: '{}',
    };
    expect(await queue.record({ delivery, attempt, next: null })).toBe(false);
    expect(await under.pending()).toHaveLength(1);
    // the newest token is not enough: the lease belongs to another worker
    expect(await queue.record({ delivery: { ...delivery, leaseToken: '2' }, attempt, next: null })).toBe(
      false,
    );
    await under.database.query('update webhook_deliveries set lease_owner = $1', [queue.lease.id]);
    expect(await queue.record({ delivery: { ...delivery, leaseToken: '2' }, attempt, next: null })).toBe(
      true,
    );
    expect(await under.pending()).toEqual([]);

    // the response to the first call arrives now and is not recorded
    respond();
    const next = under.request(receiver.url);
    receiver.respondWith({});
    await under.bus.publish([next]);
    await under.until(() => under.attempts.some(({ delivery_id }) => delivery_id === next.data.delivery_id));
    expect(under.attempts.filter(({ delivery_id }) => delivery_id === event.data.delivery_id)).toHaveLength(
      1,
    );
  });
});

describe('a stop', () => {
  it('lets running calls end and records them', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const under = await dispatcher(url);
    receiver.respondWith({ delayMs: 800 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);
    await under.stop();
    const next = await dispatcher(url);
    await next.until(() => next.attempts.some(({ delivery_id }) => delivery_id === event.data.delivery_id));
    expect(receiver.requests).toHaveLength(1);
    expect(await next.pending()).toEqual([]);
  });

  it('does not wait for longer calls, which are cut off and made again under the same id', async () => {
    const url = await freshDatabase();
    const receiver = await receive();
    const under = await dispatcher(url);
    receiver.respondWith({ delayMs: 120_000 });
    const event = under.request(receiver.url);
    await under.bus.publish([event]);
    await receiver.waitFor(1);
    await under.service.stop();
    await under.stop();
    receiver.respondWith({});
    const left = await (await tables(url)).query('select id, attempts, state from webhook_deliveries');
    expect(left).toEqual([{ id: event.data.delivery_id, attempts: 0, state: 'waiting' }]);
    const next = await dispatcher(url);
    await next.until(() => next.attempts.some(({ success }) => success));
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([event.data.webhook_message_id, event.data.webhook_message_id]);
  });
});
