import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  changeByAttempt,
  MessageAccepted,
  MessageChanged,
  SuppressionsChanged,
  type SuppressionChange,
} from '@postmesh/messages-contract';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { DomainDnsFailed } from '@postmesh/domains-contract';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { SecretBox } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { requestedCalls, startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

// proven again: events that come twice or in another order, and two processes that handle them at once
const database = testDatabase();
let under: WebhooksUnderTest;
let account_id: string;

beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
  under.owned.set(account_id, ['shop.test', 'other.test']);
});

const HOOK = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global' };
const ALL_OUTCOMES = {
  on_reception: true,
  on_delivered: true,
  on_transient_error: true,
  on_bounced: true,
  on_failed: true,
  on_suppressed: true,
};

async function webhook(more: object): Promise<{ id: string; secret: string }> {
  const { body } = await under.webhooks('POST', '', { account_id, body: { ...HOOK, ...more } });
  return body;
}

/** A message of `count` recipients, stored after now; its events are not published yet. */
async function message(count = 1, domain = 'shop.test') {
  // ids carry milliseconds: the message is to be younger than the webhooks made before it
  const at = Date.now() + 5;
  const recipients = Array.from({ length: count }, (_, nth) => ({
    id: newId(at),
    email: `r${nth}@mail.test`,
  }));
  const accepted = MessageAccepted.make(
    {
      ...MessageAccepted.examples[0]!,
      send_request_id: newId(),
      domain,
      sender: `news@${domain}`,
      recipients,
    },
    { account_id },
  );
  const attempted = (outcome: DeliveryOutcome, nth = 0) =>
    changeByAttempt(
      DeliveryAttempted.make(
        {
          ...DeliveryAttempted.examples[0]!,
          message_id: recipients[nth]!.id,
          recipient: recipients[nth]!.email,
          domain,
          sender: `news@${domain}`,
          send_request_id: accepted.data.send_request_id,
          outcome,
        },
        { account_id },
      ),
    );
  return { recipients, accepted, attempted };
}

const callsOf = (...webhookIds: string[]) =>
  requestedCalls(under.published).filter((call) => webhookIds.includes(call.webhook_id));
const typesOf = (id: string) => callsOf(id).map((call) => call.event_type);

async function publish(...events: EventEnvelope[]): Promise<void> {
  for (const event of events) await under.bus.publish([event]);
}

const called = (count: number, ...ids: string[]) =>
  under.until(() => (callsOf(...ids).length >= count ? callsOf(...ids) : undefined));

describe('a webhook that wants everything', () => {
  it('is called for reception and every outcome, with the payload of the contract', async () => {
    const { id, secret } = await webhook(ALL_OUTCOMES);
    const { accepted, attempted, recipients } = await message();
    const steps: DeliveryOutcome[] = ['deferred', 'delivered', 'bounced'];
    await publish(accepted, ...steps.map((step) => attempted(step)));
    const calls = await called(4, id);
    expect(calls.map((call) => call.event_type)).toEqual([
      'message.reception',
      'message.transient_error',
      'message.delivered',
      'message.bounced',
    ]);
    const [reception] = calls;
    expect(reception).toMatchObject({
      host: 'shop.test',
      webhook_message_id: `msg_${reception!.delivery_id.replaceAll('-', '')}`,
      payload: { type: 'message.reception', webhook_id: id, data: { account_id, event: 'on_reception' } },
    });
    expect(calls.map((call) => call.payload.data.id)).toEqual(
      Array.from({ length: 4 }, () => recipients[0]!.id.replaceAll('-', '')),
    );
    expect(new Set(calls.map((call) => call.webhook_message_id)).size).toBe(4);
    // the stream names neither where it is called nor with what it signs; the dispatcher asks for both
    expect(JSON.stringify(under.published)).not.toMatch(/hooks|sealed|v1\./);
    const { body } = await under.internal('POST', '/internal/webhook-targets', {
      webhook_ids: [id, newId()],
    });
    expect(body.targets).toEqual([{ webhook_id: id, url: HOOK.url, sealed_secret: expect.any(String) }]);
    expect(under.service.get(SecretBox).open(body.targets[0].sealed_secret, `webhook/${id}`)).toBe(secret);
    await under.webhooks('PUT', `/${id}`, { account_id, body: { enabled: false } });
    const disabled = await under.internal('POST', '/internal/webhook-targets', { webhook_ids: [id] });
    expect(disabled.body.targets).toEqual([]);
  });

  it('spec 2-messages §15.4: gets a later bounce of a report without an attempt, and once', async () => {
    const { id } = await webhook(ALL_OUTCOMES);
    const { accepted, attempted } = await message();
    const changed = {
      ...attempted('bounced').data,
      changed_at: '2026-01-05T09:10:00.000Z',
      reply: null,
    };
    const reported = MessageChanged.make(changed, { account_id });
    await publish(accepted, attempted('delivered'));
    await called(2, id);
    await publish(reported, reported);
    const calls = await called(3, id);
    expect(calls.map((call) => call.event_type)).toEqual([
      'message.reception',
      'message.delivered',
      'message.bounced',
    ]);
    expect(calls[2]!.payload).toEqual({
      type: 'message.bounced',
      timestamp: '2026-01-05T09:10:00Z',
      webhook_id: id,
      data: {
        account_id,
        event: 'on_bounced',
        from: changed.sender,
        recipient: changed.recipient,
        subject: changed.subject,
        message_id_header: changed.message_id_header,
        id: changed.message_id.replaceAll('-', ''),
        is_bot: false,
      },
    });
  });

  it('gets an event for every recipient', async () => {
    const { id } = await webhook({ on_reception: true });
    const { accepted } = await message(50);
    await publish(accepted);
    const calls = await called(50, id);
    expect(new Set(calls.map((call) => call.payload.data.recipient)).size).toBe(50);
  });

  it('gets the event of a domain that can no longer send', async () => {
    const { id } = await webhook({ on_dns_error: true });
    await publish(DomainDnsFailed.make({ ...DomainDnsFailed.examples[0]!, account_id }, { account_id }));
    const [call] = await called(1, id);
    expect(call?.payload).toMatchObject({
      type: 'domain.dns_error',
      data: { domain: 'shop.test', dkim_valid: false },
    });
  });
});

describe('the called webhooks', () => {
  it('spec 2-messages §18 rule 12: webhooks with the flag and the domain, enabled, of the account', async () => {
    const wanted = [
      await webhook({ on_delivered: true }),
      await webhook({ on_delivered: true, scope: 'scoped', domains: ['shop.test'] }),
    ];
    const others = [
      await webhook({ on_bounced: true }),
      await webhook({ on_delivered: true, scope: 'scoped', domains: ['other.test'] }),
    ];
    const disabled = await webhook({ on_delivered: true, enabled: false });
    const { attempted } = await message();
    await publish(attempted('delivered'));
    await called(2, ...wanted.map(({ id }) => id));
    // what comes after it has been matched after it
    const last = await webhook({ on_failed: true });
    await publish(attempted('failed'));
    await called(1, last.id);
    expect(callsOf(...others.map(({ id }) => id))).toEqual([]);
    // spec 2-messages §18 rule 8: what it would have got is kept for it
    expect(callsOf(disabled.id)).toMatchObject([{ event_type: 'message.delivered', missed: true }]);
    expect(callsOf(last.id)).toMatchObject([{ event_type: 'message.failed' }]);
    expect(callsOf(last.id)[0]).not.toHaveProperty('missed');
  });

  it('a webhook made just before the event, by whichever process matches it', async () => {
    const second = await startWebhooks(database.url);
    try {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await webhook({ on_delivered: true });
        const { attempted } = await message();
        await publish(attempted('delivered'));
        await called(1, id);
        await under.webhooks('DELETE', `/${id}`, { account_id });
      }
    } finally {
      await second.stop();
    }
  });
});

it('the reception is queued first: it has the stream and the key of the later events', async () => {
  const { id } = await webhook(ALL_OUTCOMES);
  const { accepted, attempted } = await message(3);
  const events = [accepted, ...[0, 1, 2].map((nth) => attempted('delivered', nth))];
  expect(new Set(events.map(({ stream, key }) => `${stream} ${key}`)).size).toBe(1);
  await deliver(under.service, events);
  await called(6, id);
  expect(typesOf(id)).toEqual([
    ...Array.from({ length: 3 }, () => 'message.reception'),
    ...Array.from({ length: 3 }, () => 'message.delivered'),
  ]);
});

describe('a recipient that was suppressed at acceptance', () => {
  it('has an event as received, then as suppressed; other recipients have none', async () => {
    const { id } = await webhook(ALL_OUTCOMES);
    const { id: other } = await webhook({ on_suppressed: true });
    const { accepted } = await message(3);
    const [, second] = accepted.data.recipients;
    Object.assign(second!, { suppressed: true });
    await publish(accepted, accepted);
    await called(5, id, other);
    const calls = callsOf(id);
    expect(typesOf(id).filter((type) => type === 'message.reception')).toHaveLength(3);
    const theirs = calls.filter((call) => call.payload.data.recipient === second!.email);
    expect(theirs.map((call) => call.event_type)).toEqual(['message.reception', 'message.suppressed']);
    expect(theirs[1]!.payload.data).toEqual({ ...theirs[0]!.payload.data, event: 'on_suppressed' });
    expect(typesOf(other)).toEqual(['message.suppressed']);
  });
});

describe('a message that was opened and clicked', () => {
  const fetched = (
    message_id: string,
    change: 'opened' | 'clicked',
    { domain = 'shop.test', is_bot = false } = {},
  ) => {
    const example = MessageChanged.examples[1]!;
    const fetch = { ...example.fetch!, is_bot };
    return MessageChanged.make({ ...example, message_id, change, domain, fetch }, { account_id });
  };

  it('publishes each fetch, of bots too, to webhooks with the flag and the domain', async () => {
    const both = await webhook({ on_opened: true, on_clicked: true });
    const clicks = await webhook({ on_clicked: true });
    const other = await webhook({ on_opened: true, scope: 'scoped', domains: ['other.test'] });
    const { recipients } = await message();
    const { id } = recipients[0]!;
    const opened = fetched(id, 'opened', { is_bot: true });
    await publish(opened, opened, fetched(id, 'opened'), fetched(id, 'clicked'));
    await publish(fetched(id, 'opened', { domain: 'other.test' }));
    await called(6, both.id, clicks.id, other.id);
    expect(callsOf(both.id).map(({ payload }) => [payload.type, payload.data.is_bot])).toEqual([
      ['message.opened', true],
      ['message.opened', false],
      ['message.clicked', false],
      ['message.opened', false],
    ]);
    expect(typesOf(clicks.id)).toEqual(['message.clicked']);
    expect(typesOf(other.id)).toEqual(['message.opened']);
  });
});

describe('a suppression that was created', () => {
  const change = (more: Partial<SuppressionChange> = {}): SuppressionChange => ({
    ...SuppressionsChanged.examples[0]!.changes[0]!,
    ...more,
  });
  const changed = (...changes: SuppressionChange[]) =>
    SuppressionsChanged.make({ account_id, changes }, { account_id });
  const recipientsOf = (id: string) => callsOf(id).map((call) => call.payload.data.recipient);

  it('is sent to webhooks with the flag, of all domains or of its sending domain', async () => {
    const wanted = { on_suppression_created: true };
    const all = await webhook(wanted);
    const scoped = await webhook({ ...wanted, scope: 'scoped', domains: ['other.test'] });
    const without = await webhook(ALL_OUTCOMES);
    await publish(
      changed(
        change({ recipient: 'a@mail.test' }),
        change({ recipient: 'b@mail.test', domain: 'other.test', source: 'api' }),
      ),
    );
    await called(3, all.id, scoped.id);
    expect(recipientsOf(all.id)).toEqual(['a@mail.test', 'b@mail.test']);
    expect(callsOf(scoped.id).map((call) => call.payload)).toMatchObject([
      { type: 'suppression.created', data: { recipient: 'b@mail.test', sending_domain: 'other.test' } },
    ]);
    expect(callsOf(without.id)).toEqual([]);
  });

  it('is not sent when the row existed already, was removed, or came from an import', async () => {
    const { id } = await webhook({ on_suppression_created: true });
    await publish(
      changed(
        change({ recipient: 'extended@mail.test', kind: 'extended' }),
        change({ recipient: 'removed@mail.test', kind: 'removed' }),
        change({ recipient: 'imported@mail.test', source: 'import' }),
        change({ recipient: 'unsubscribed@mail.test', source: 'recipient', protected: true }),
      ),
    );
    await called(1, id);
    expect(recipientsOf(id)).toEqual(['unsubscribed@mail.test']);
  });

  it('is sent once, also for a repeated event', async () => {
    const { id } = await webhook({ on_suppression_created: true });
    const event = changed(change());
    await deliver(under.service, [event, event]);
    await deliver(under.service, [event]);
    await publish(changed(change({ recipient: 'last@mail.test' })));
    await called(2, id);
    expect(recipientsOf(id)).toEqual(['gone@mail.test', 'last@mail.test']);
  });

  it('is one of 500 in an event: each webhook gets each, in order', async () => {
    const hooks = await Promise.all([1, 2, 3].map(() => webhook({ on_suppression_created: true })));
    const changes = Array.from({ length: 500 }, (_, nth) => change({ recipient: `r${nth}@mail.test` }));
    await publish(changed(...changes));
    await called(1_500, ...hooks.map(({ id }) => id));
    for (const { id } of hooks) expect(recipientsOf(id)).toEqual(changes.map(({ recipient }) => recipient));
  });
});

describe('redelivery', () => {
  it('of the same events requests no second call', async () => {
    const { id } = await webhook(ALL_OUTCOMES);
    const { accepted, attempted } = await message();
    const delivered = attempted('delivered');
    for (let time = 0; time < 3; time += 1) {
      await deliver(under.service, [accepted, accepted]);
      await deliver(under.service, [delivered]);
    }
    await publish(attempted('bounced'));
    await called(3, id);
    expect(typesOf(id)).toEqual(['message.reception', 'message.delivered', 'message.bounced']);
  });
});

it('a webhook is stopped after the calls requested for it, in any order of the commits', async () => {
  const hooks = await Promise.all(Array.from({ length: 10 }, () => webhook(ALL_OUTCOMES)));
  const messages = await Promise.all(Array.from({ length: 10 }, () => message(5)));
  await Promise.all([
    ...messages.map(({ accepted }) => deliver(under.service, [accepted])),
    ...hooks.map(({ id }) => under.webhooks('DELETE', `/${id}`, { account_id })),
  ]);
  const end = await webhook({ on_failed: true });
  await publish((await message()).attempted('failed'));
  await called(1, end.id);
  for (const { id } of hooks) {
    const story = under.published.filter((event) => event.key === id).map((event) => event.type);
    expect(story.at(-1)).toBe('webhook-stopped');
  }
});
