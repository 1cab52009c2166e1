import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
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

const GLOBAL = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global' };
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
  it('sends one sample of each type, whatever the webhook listens to, of one of its domains', async () => {
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

  it('refuses what is no list of types', async () => {
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

  it('is 404 for what is not the account’s, and 409 while it is disabled', async () => {
    const hook = await made({ ...GLOBAL, enabled: false });
    const disabled = await trigger(hook, { events: ['message.delivered'] });
    expect([disabled.status, disabled.body.message]).toEqual([409, 'webhook is disabled']);
    const foreign = await trigger({ ...hook, account_id: newId() }, { events: ['message.delivered'] });
    expect([foreign.status, foreign.body.message]).toEqual([404, 'webhook not found']);
  });

  it('is there for an operator, too, of whatever account the webhook is', async () => {
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
  it('as the setting says, however many are made at the same moment; a deleted one makes room', async () => {
    const account_id = newId();
    const create = () => under.webhooks('POST', '', { account_id, body: GLOBAL });
    const answers = await Promise.all(Array.from({ length: 6 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toEqual({ message: 'webhook limit reached' });
    const { id } = answers.find(({ status }) => status === 201)!.body;
    await under.webhooks('DELETE', `/${id}`, { account_id });
    expect((await create()).status).toBe(201);
    // of its own account alone
    expect((await under.webhooks('POST', '', { account_id: newId(), body: GLOBAL })).status).toBe(201);
  });
});
