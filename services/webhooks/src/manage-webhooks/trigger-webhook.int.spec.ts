import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { WebhookRecoveryRequested } from '@postmesh/webhooks-contract';
import { testDatabase } from '@postmesh/testing';
import { requestedCalls, startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { EVENT_TYPES } from '../webhook-events/webhook-events.table.js';

const database = testDatabase();
let under: WebhooksUnderTest;
beforeAll(async () => {
  under = await startWebhooks(database.url, { webhookLimit: 3 });
  under.owned.set(under.accountId, ['a.test', 'b.test']);
});
afterAll(() => under.stop());

const GLOBAL = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global', on_opened: true };
const SCOPED = { ...GLOBAL, scope: 'scoped', domains: ['b.test', 'a.test'] };
const ALL = Object.values(EVENT_TYPES);

async function made(body: object, account_id = newId()): Promise<{ id: string; account_id: string }> {
  under.owned.set(account_id, ['a.test', 'b.test']);
  const { status, body: webhook } = await under.webhooks('POST', '', { body, account_id });
  expect(status).toBe(201);
  return { id: webhook.id, account_id };
}
const trigger = (
  { id, account_id }: { id: string; account_id: string },
  body: unknown,
  scopes?: readonly string[],
) => under.webhooks('POST', `/${id}/trigger`, { account_id, body, ...(scopes ? { scopes } : {}) });
const callsOf = (id: string) => requestedCalls(under.published).filter(({ webhook_id }) => webhook_id === id);
const called = (id: string, count: number) =>
  under.until(() => (callsOf(id).length >= count ? callsOf(id) : undefined));

describe('POST …/webhooks/{id}/trigger', () => {
  it('sends one sample of each type, also of types that are off, for one of its domains', async () => {
    const hook = await made(SCOPED);
    const { status, body } = await trigger(hook, { events: [...ALL, ...ALL] });
    expect([status, body]).toEqual([202, { message: 'sample events queued' }]);
    const calls = await called(hook.id, ALL.length);
    expect(calls.map(({ event_type }) => event_type)).toEqual(ALL);
    for (const { payload, event_type, webhook_message_id, delivery_id } of calls) {
      expect(payload).toMatchObject({
        type: event_type,
        webhook_id: hook.id,
        data: { account_id: hook.account_id },
      });
      expect(webhook_message_id).toBe(`msg_${delivery_id.replaceAll('-', '')}`);
    }
    expect(calls[0]?.payload.data.from).toBe('sender@b.test');
    const other = await made(GLOBAL);
    await trigger(other, { events: ['message.failed'] });
    const [failed] = await called(other.id, 1);
    expect(failed?.payload.data.from).toBe('sender@example.com');
  });

  it('refuses a body without a list of types', async () => {
    const hook = await made(GLOBAL);
    const answers = await Promise.all(
      [
        { events: ['message.delivered', 'message.routing'] },
        { events: ['on_delivered'] },
        { events: [] },
        { events: 'message.delivered' },
        {},
      ].map(async (body) => {
        const response = await trigger(hook, body);
        return [response.status, response.body.message];
      }),
    );
    expect(answers).toEqual([
      [400, expect.stringMatching(/^unknown event type: message.routing \(one of message.reception, /)],
      [400, expect.stringMatching(/^unknown event type: on_delivered \(one of message.reception, /)],
      [400, 'events must not be empty'],
      [400, 'events must be an array'],
      [400, 'events is required'],
    ]);
    expect(callsOf(hook.id)).toEqual([]);
  });

  it('needs the write scope of the webhook', async () => {
    const events = { events: ['message.delivered'] };
    const global = await made(GLOBAL);
    const scoped = await made(SCOPED);
    const status = async (hook: typeof global, ...scopes: string[]) =>
      (await trigger(hook, events, scopes)).status;
    expect(await status(global, 'webhooks:read:all')).toBe(403);
    expect(await status(global, 'webhooks:write:{a.test}')).toBe(403);
    expect(await status(global, 'webhooks:write:all')).toBe(202);
    expect(await status(scoped, 'webhooks:write:{c.test}')).toBe(403);
    expect(await status(scoped, 'webhooks:write:{a.test}')).toBe(202);
  });

  it('is 404 for a webhook of another account, and 409 while it is disabled', async () => {
    const hook = await made({ ...GLOBAL, enabled: false });
    const disabled = await trigger(hook, { events: ['message.delivered'] });
    expect([disabled.status, disabled.body.message]).toEqual([409, 'webhook is disabled']);
    const foreign = await trigger({ ...hook, account_id: newId() }, { events: ['message.delivered'] });
    expect([foreign.status, foreign.body.message]).toEqual([404, 'webhook not found']);
  });

  it('is available to an operator, too, for a webhook of any account', async () => {
    const hook = await made(GLOBAL);
    const path = (id: string) => `/operator/webhooks/${id}/test`;
    const first = await under.internal('POST', path(hook.id), {}, 'ann');
    expect([first.status, first.body]).toEqual([202, { webhook_id: hook.id, events: ['message.delivered'] }]);
    await under.internal('POST', path(hook.id), { events: ['message.bounced'] }, 'ann');
    expect((await called(hook.id, 2)).map(({ event_type }) => event_type)).toEqual([
      'message.delivered',
      'message.bounced',
    ]);
    expect((await under.internal('POST', path(newId()), {}, 'ann')).status).toBe(404);
    expect((await under.internal('POST', path(hook.id), { events: ['x'] }, 'ann')).status).toBe(400);
  });
});

describe('an account has a number of webhooks', () => {
  it('up to the limit of the setting, also for concurrent creates; a deleted one makes room', async () => {
    const account_id = newId();
    const create = () => under.webhooks('POST', '', { account_id, body: GLOBAL });
    const answers = await Promise.all(Array.from({ length: 6 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toEqual({ message: 'webhook limit reached' });
    const { id } = answers.find(({ status }) => status === 201)!.body;
    await under.webhooks('DELETE', `/${id}`, { account_id });
    expect((await create()).status).toBe(201);
    // the limit is per account
    expect((await under.webhooks('POST', '', { account_id: newId(), body: GLOBAL })).status).toBe(201);
  });
});

describe('POST …/webhooks/{id}/recover', () => {
  const recover = (
    { id, account_id }: { id: string; account_id: string },
    body?: unknown,
    scopes?: readonly string[],
  ) => under.webhooks('POST', `/${id}/recover`, { account_id, body, ...(scopes ? { scopes } : {}) });
  const requested = (id: string) =>
    under.published
      .filter(({ type }) => type === WebhookRecoveryRequested.type)
      .map((event) => WebhookRecoveryRequested.parse(event).data)
      .filter(({ webhook_id }) => webhook_id === id);

  it('spec 2-messages §18 rule 13: requests the missed events of the webhook since a time, else all that are kept', async () => {
    const hook = await made(SCOPED);
    const since = '2026-01-05T09:00:00+01:00';
    const { status, body } = await recover(hook, { since }, ['webhooks:write:{a.test}']);
    expect([status, body]).toEqual([202, { message: 'recovery started' }]);
    await recover(hook);
    const [first, second] = await under.until(() => {
      const events = requested(hook.id);
      return events.length === 2 && events;
    });
    expect(first).toMatchObject({ webhook_id: hook.id, since: '2026-01-05T08:00:00.000Z' });
    const kept = Date.now() - Date.parse(second!.since);
    expect(Math.abs(kept - 7 * 86_400_000)).toBeLessThan(60_000);
  });

  it('needs the write scope, an enabled webhook of the account and a time', async () => {
    const hook = await made(SCOPED);
    expect((await recover(hook, {}, ['webhooks:write:{c.test}'])).status).toBe(403);
    const global = await recover(await made(GLOBAL), {}, ['webhooks:write:{a.test}']);
    expect([global.status, global.headers['www-authenticate']]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="webhooks:write:all"',
    ]);
    expect((await recover(hook, { since: 'yesterday' })).body.message).toBe(
      'since must be an RFC 3339 timestamp',
    );
    expect((await recover(hook, { from: null })).body.message).toBe('unknown field: from');
    expect((await recover({ ...hook, account_id: newId() })).body.message).toBe('webhook not found');
    const disabled = await recover(await made({ ...GLOBAL, enabled: false }));
    expect([disabled.status, disabled.body.message]).toEqual([409, 'webhook is disabled']);
  });
});
