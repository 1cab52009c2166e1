import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { createKafkaBus } from '@postmesh/events';
import { realPart, testDatabase } from '@postmesh/testing';
import { startKafka } from '../../../tools/real/kafka.mjs';
import { requestedCalls, startWebhooks } from '../src/testing/webhooks-under-test.js';

const WEBHOOKS = 30;
const EVENTS = 20;
const RECIPIENTS = 10;
const CALLS = WEBHOOKS * EVENTS * RECIPIENTS;

const database = testDatabase();
const given = realPart('KAFKA_BROKERS', process.env['KAFKA_BROKERS']?.split(','));

describe.runIf(given)('a broker that is killed during the publishing of events', { timeout: 300_000 }, () => {
  it('loses no call, and repeats of a call have the same webhook-id', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'postmesh-kafka-'));
    const first = await startKafka({ dir });
    const brokers = first.env.KAFKA_BROKERS.split(',');
    const bus = await createKafkaBus({ brokers, clientId: 'webhooks', sessionTimeoutMs: 6_000 });
    const under = await startWebhooks(database.url, { logLevel: 'silent' }, { bus });
    const account_id = newId();
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      const body = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global', on_reception: true };
      expect((await under.webhooks('POST', '', { account_id, body })).status).toBe(201);
    }
    const events = Array.from({ length: EVENTS }, () =>
      MessageAccepted.make(
        {
          ...MessageAccepted.examples[0]!,
          send_request_id: newId(),
          recipients: Array.from({ length: RECIPIENTS }, () => ({ id: newId(), email: 'r@mail.test' })),
        },
        { account_id },
      ),
    );
    await bus.publish(events);
    await under.until(() => requestedCalls(under.published).length > 0);
    process.kill(first.pid, 'SIGKILL');
    await expect.poll(() => bus.ready()).toBe(false);
    const second = await startKafka({ dir, keepData: true });
    const idsOf = () => {
      const ids = new Map<string, Set<string>>();
      for (const { webhook_id, payload, webhook_message_id } of requestedCalls(under.published)) {
        const call = `${webhook_id} ${payload.data.id}`;
        ids.set(call, (ids.get(call) ?? new Set()).add(webhook_message_id));
      }
      return ids;
    };
    await expect.poll(() => idsOf().size, { timeout: 120_000, interval: 500 }).toBe(CALLS);
    expect([...idsOf().values()].filter(({ size }) => size > 1)).toEqual([]);
    await under.stop();
    await second.stop();
    await rm(dir, { recursive: true, force: true });
  });
});
