import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DataSource } from 'typeorm';
import { MessageAccepted, MessageChanged } from '@postmesh/messages-contract';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { requestedCalls, startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { FanOuts } from './fan-outs.js';
import { FanOutTurns } from './fan-out-turns.js';
import { IntakePressure } from './intake-pressure.js';

const database = testDatabase();
let under: WebhooksUnderTest;
let account_id: string;

beforeAll(async () => {
  under = await startWebhooks(database.url, { logLevel: 'silent' });
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
});

const HOOK = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global' };

/** An account with this many webhooks, also above the present limit. @returns their ids */
async function webhooks(count: number, flags: object, owner = account_id): Promise<string[]> {
  const { body } = await under.webhooks('POST', '', {
    account_id: owner,
    body: { ...HOOK, ...flags },
  });
  const ids = Array.from({ length: count - 1 }, () => newId());
  const columns: { name: string }[] = await query(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = 'webhooks' and column_name <> 'id'`,
  );
  const same = columns.map(({ name }) => name).join(', ');
  await query(
    `insert into webhooks (id, ${same}) select copy.id, ${same} from webhooks,
     unnest($2::uuid[]) as copy(id) where webhooks.id = $1`,
    [body.id, ids],
  );
  return [body.id, ...ids];
}

const query = (text: string, values: unknown[] = []) => under.service.get(DataSource).query(text, values);
const waiting = async () =>
  Number((await query('select count(*) from fan_outs where account_id = $1', [account_id]))[0].count);

function accepted(count: number, owner = account_id) {
  const at = Date.now() + 5;
  const recipients = Array.from({ length: count }, (_, nth) => ({
    id: newId(at),
    email: `r${nth}@mail.test`,
  }));
  return MessageAccepted.make(
    { ...MessageAccepted.examples[0]!, send_request_id: newId(), recipients },
    { account_id: owner },
  );
}

const delivered = (message: ReturnType<typeof accepted>, nth = 0) =>
  MessageChanged.make(
    {
      ...MessageChanged.examples[0]!,
      send_request_id: message.data.send_request_id,
      message_id: message.data.recipients[nth]!.id,
      recipient: message.data.recipients[nth]!.email,
    },
    { account_id: message.account_id },
  );

function callsPerWebhook(events: readonly EventEnvelope[], ids: readonly string[]): Map<string, string[]> {
  const byWebhook = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { webhook_id, payload } of requestedCalls(events))
    byWebhook.get(webhook_id)?.push(`${payload.type} ${payload.data.recipient}`);
  return byWebhook;
}

describe('an event with too many calls for its batch', () => {
  it('is published in pieces: every webhook gets every event, once, in order', async () => {
    const ids = await webhooks(120, { on_reception: true, on_delivered: true });
    const message = accepted(30);
    await deliver(under.service, [message]);
    // a later event waits, however few calls it has
    await deliver(under.service, [delivered(message)]);
    await under.until(() => requestedCalls(under.published).length >= 120 * 31);
    const expected = [
      ...message.data.recipients.map(({ email }) => `message.reception ${email}`),
      'message.delivered r0@mail.test',
    ];
    const byWebhook = callsPerWebhook(under.published, ids);
    for (const calls of byWebhook.values()) expect(calls).toEqual(expected);
    const perCall = requestedCalls(under.published).map(({ webhook_message_id }) => webhook_message_id);
    expect(new Set(perCall).size).toBe(perCall.length);
    await expect.poll(waiting).toBe(0);
  });

  it('may need several turns for one event', async () => {
    const ids = await webhooks(2_600, { on_reception: true });
    const before = under.published.length;
    await deliver(under.service, [accepted(2)]);
    const news = () => under.published.slice(before);
    await under.until(() => requestedCalls(news()).length >= 2 * 2_600);
    for (const calls of callsPerWebhook(news(), ids).values())
      expect(calls).toEqual(['message.reception r0@mail.test', 'message.reception r1@mail.test']);
  });

  it('is not sent to a webhook that was created later, nor to one that was stopped in the meantime', async () => {
    const ids = await webhooks(2_600, { on_reception: true });
    const { id: stopped } = (
      await query('select id from webhooks where account_id = $1 order by id desc limit 1', [account_id])
    )[0];
    // no turn runs until this transaction ends
    const held = under.service.get(DataSource).createQueryRunner();
    await held.startTransaction();
    expect(await under.service.get(FanOuts).hold(held.manager, account_id)).toBe(true);
    const before = under.published.length;
    await deliver(under.service, [accepted(1)]);
    expect(await waiting()).toBe(1);
    const [late] = await webhooks(1, { on_reception: true });
    await under.webhooks('DELETE', `/${stopped}`, { account_id });
    await held.commitTransaction();
    await held.release();
    await under.until(() => requestedCalls(under.published.slice(before)).length >= 2_599);
    await expect.poll(waiting).toBe(0);
    const byWebhook = callsPerWebhook(under.published.slice(before), [...ids, late!]);
    expect(byWebhook.get(late!)).toEqual([]);
    expect(byWebhook.get(stopped)).toEqual([]);
  });

  it('that fails is retried with half the calls, and at last is a dead letter; the others are published', async () => {
    const turns = under.service.get(FanOutTurns);
    const { retry } = turns;
    turns.retry = { firstMs: 1, maxMs: 1 };
    onTestFinished(() => void (turns.retry = retry));
    const [spoilt] = await webhooks(2_100, { on_reception: true, on_delivered: true });
    const before = under.published.length;
    // a webhook of the first event only, with an unreadable address, which no request can create
    await query(`update webhooks set url = 'no address', on_delivered = false where id = $1`, [spoilt]);
    const message = accepted(1);
    await deliver(under.service, [message]);
    await deliver(under.service, [delivered(message)]);
    await expect
      .poll(() => query(`select kind from dead_letters where consumer = 'webhooks.fan-outs'`))
      .toHaveLength(1);
    const news = () => requestedCalls(under.published.slice(before));
    await under.until(() => news().length >= 2_099);
    expect(new Set(news().map(({ payload }) => payload.type))).toEqual(new Set(['message.delivered']));
  });
});

describe('an account with events for hours', () => {
  // 1,500 webhooks, 60 requests of 50 recipients: four and a half million calls
  const REQUESTS = 60;
  const RECIPIENTS = 50;
  const WEBHOOKS = 1_500;
  // The most calls that may precede another account's call, independent of the flood: the lag of the readers, the calls
  // of two turns before it is noticed, and a batch.
  const BOUND = 12_000;

  interface Figures {
    callMs: number[];
    apiMs: number[];
    before: number[];
  }

  /** Events of another account, one after another. */
  async function watch(owner: string, rounds: number): Promise<Figures> {
    const figures: Figures = { callMs: [], apiMs: [], before: [] };
    for (let round = 0; round < rounds; round += 1) {
      const asked = performance.now();
      await under.webhooks('GET', '', { account_id: owner });
      figures.apiMs.push(Math.round(performance.now() - asked));
      const begun = performance.now();
      const at = under.published.length;
      const event = delivered(accepted(1, owner));
      await under.bus.publish([event]);
      const place = await under.until(() => {
        const found = under.published.findIndex(
          ({ account_id: of, type }, nth) =>
            nth >= at && of === owner && type === 'webhook-delivery-requested',
        );
        return found === -1 ? undefined : found + 1;
      });
      figures.callMs.push(Math.round(performance.now() - begun));
      figures.before.push(place - at);
    }
    return figures;
  }

  it('does not make other accounts wait, also after a restart', async () => {
    const victim = newId();
    await webhooks(1, { on_delivered: true }, victim);
    const alone = await watch(victim, 10);
    await webhooks(WEBHOOKS, { on_reception: true });
    await under.bus.publish(Array.from({ length: REQUESTS }, () => accepted(RECIPIENTS)));
    await expect.poll(waiting).toBeGreaterThan(REQUESTS * RECIPIENTS - 200);
    const during = await watch(victim, 10);
    const last = under.published.at(-1)?.id;
    await under.stop();
    under = await startWebhooks(database.url, { logLevel: 'silent' });
    // a listener begins at the start of the stream
    await under.until(() => under.published.some(({ id }) => id === last));
    const restarted = await watch(victim, 10);
    const left = await waiting();
    expect(left).toBeGreaterThan(REQUESTS * RECIPIENTS - 1_000);
    say('another account alone', alone);
    say('during the flood', during);
    say('after a restart', restarted);
    for (const { before } of [during, restarted]) expect(Math.max(...before)).toBeLessThan(BOUND);
    // the flood continues during the whole test
    await expect.poll(waiting).toBeLessThan(left);
    await query('delete from webhooks where account_id = $1', [account_id]);
  });

  /** Figures for people; no test asserts times. */
  function say(what: string, { callMs, apiMs, before }: Figures): void {
    const text = `${what}: its call requested after ${callMs.join(', ')} ms, API ${apiMs.join(', ')} ms`;
    process.stdout.write(`\n  ${text}; events in front ${before.join(', ')}\n`);
  }
});

it('waits for the readers of the calls only', async () => {
  const abort = new AbortController();
  await under.service.get(IntakePressure).eased(abort.signal);
});
