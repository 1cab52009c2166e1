import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MessageReceived } from '@postmesh/messages-contract';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';
import { GroupedMessages } from './grouped-messages.js';

// proven again: two concurrent processes, the window of a day, and the requested calls in their order
const database = testDatabase();
let under: WebhooksUnderTest;
let account_id: string;
let domain: string;

beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
  domain = `d-${newId()}.test`;
  under.owned.set(account_id, [domain, `b.${domain}`]);
});

const route = async (recipient: string, more: object = {}): Promise<string> => {
  const body = { name: 'Route', url: 'https://shop.test:8443/in', recipient, ...more };
  const { status, body: made } = await under.routes('POST', '', { account_id, body });
  expect(status).toBe(201);
  return made.id;
};
const received = (locals: string[], more: object = {}, at = domain) =>
  MessageReceived.make(
    {
      ...MessageReceived.examples[0]!,
      receipt_id: newId(),
      domain: at,
      message_id_header: `<${newId()}@mail.test>`,
      recipients: locals.map((local) => ({ id: newId(), email: `${local}@${at}` })),
      ...more,
    },
    { account_id },
  );
const calls = () =>
  under.published
    .filter(({ type }) => type === WebhookDeliveryRequested.type)
    .map((event) => WebhookDeliveryRequested.parse(event))
    .filter((event) => event.account_id === account_id)
    .map(({ data }) => data);
/** recipients of the route's calls, sorted */
const calledFor = (id: string) =>
  calls()
    .filter(({ webhook_id }) => webhook_id === id)
    .map(({ route: called }) => called?.to.split('@')[0])
    .sort();
/** Publishes a last event, for a route of its own: after its call, all effects of the earlier events are published. */
async function settled(...events: EventEnvelope[]) {
  const end = await route(`the-end@${domain}`);
  await deliver(under.service, events);
  await under.bus.publish([received(['the-end'])]);
  await under.until(() => calledFor(end).length > 0);
  await under.routes('DELETE', `/${end}`, { account_id });
}

describe('§13.4: the called routes', () => {
  it('§13.4 rule 3: are all enabled matching ones, specific and wildcard ones alike', async () => {
    const [exact, wildcard, every] = [
      await route(`support@${domain}`),
      await route(`s*@${domain}`),
      await route('', { headers: true }),
    ];
    const [other, off] = [await route(`x@${domain}`), await route(`*@${domain}`, { enabled: false })];
    const event = received(['support', 'sales', 'info']);
    await settled(event);
    expect(calledFor(exact)).toEqual(['support']);
    expect(calledFor(wildcard)).toEqual(['sales', 'support']);
    expect(calledFor(every)).toEqual(['info', 'sales', 'support', 'the-end']);
    expect([...calledFor(other), ...calledFor(off)]).toEqual([]);
    const call = calls().find(({ webhook_id }) => webhook_id === exact);
    expect(call).toEqual({
      delivery_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      webhook_id: exact,
      host: 'shop.test:8443',
      webhook_message_id: `msg_${call?.delivery_id.replaceAll('-', '')}`,
      event_type: 'message.routing',
      body: '',
      route: {
        message_id: event.data.recipients[0]?.id,
        to: `support@${domain}`,
        occurred_at: event.data.received_at,
      },
      due_at: expect.stringMatching(/Z$/),
    });
  });

  it('§13.4 rule 4: not grouped: one call per matching envelope recipient, also for the same message twice', async () => {
    const id = await route(`a*@${domain}`);
    const event = received(['a1', 'b', 'a2']);
    await settled(event, received(['a1'], { message_id_header: event.data.message_id_header }));
    expect(calledFor(id)).toEqual(['a1', 'a1', 'a2']);
  });

  it('§13.4 rule 4: grouped: one call per message, for any number of sessions and domains', async () => {
    const [grouped, also, plain] = [
      await route('', { group_by_message_id: true }),
      await route(`*@${domain}`, { group_by_message_id: true }),
      await route(''),
    ];
    const message_id_header = `<${newId()}@mail.test>`;
    await settled(
      received(['a', 'b'], { message_id_header }),
      received(['c'], { message_id_header }),
      received(['d'], { message_id_header }, `b.${domain}`),
      received(['e']),
    );
    expect(calledFor(grouped)).toEqual(['a', 'e', 'the-end']);
    expect(calledFor(also)).toEqual(['a', 'e', 'the-end']);
    expect(calledFor(plain)).toEqual(['a', 'b', 'c', 'd', 'e', 'the-end']);
  });

  it('grouped messages without Message-ID are all distinct', async () => {
    const id = await route(`a*@${domain}`, { group_by_message_id: true });
    await settled(
      received(['a1', 'a2'], { message_id_header: '' }),
      received(['a3'], { message_id_header: ' ' }),
    );
    expect(calledFor(id)).toEqual(['a1', 'a3']);
  });

  it('§13.4 rule 4: the window of a message is 24 h, and older ones are deleted', async () => {
    const id = await route(`a*@${domain}`, { group_by_message_id: true });
    const db = under.service.get(DataSource);
    const age = (hours: number) =>
      db.query(
        `update grouped_messages set called_at = now() - make_interval(mins => $1) where route_id = $2`,
        [hours * 60, id],
      );
    const known = () => db.query('select from grouped_messages where route_id = $1', [id]);
    const message_id_header = '<one@mail.test>';
    const again = (local: string) => settled(received([local], { message_id_header }));
    await again('a1');
    await age(23);
    await again('a2');
    await age(25);
    await again('a3');
    await again('a4');
    expect(calledFor(id)).toEqual(['a1', 'a3']);
    const grouped = under.service.get(GroupedMessages);
    await grouped.prune(new AbortController().signal);
    expect(await known()).toHaveLength(1);
    await age(25);
    await grouped.prune(new AbortController().signal);
    expect(await known()).toHaveLength(0);
  });

  it('many routes and recipients: a batch with too many calls is handled in parts, nothing is lost', async () => {
    const { id } = (
      await under.routes('POST', '', {
        account_id,
        body: { name: 'Route', url: 'https://shop.test/in', recipient: `m*@${domain}` },
      })
    ).body;
    await under.service.get(DataSource).query(
      `insert into routes select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()))).*
       from routes r, generate_series(1, 59) where id = $1`,
      [id],
    );
    const locals = Array.from({ length: 50 }, (_, nth) => `m${nth}`);
    await under.bus.publish([received(locals), received(locals), received(locals)]);
    await under.until(() => calls().length === 60 * 50 * 3);
    expect(calledFor(id)).toHaveLength(150);
  });

  it('delivered again, in two processes at once: one call when grouped, else one per event', async () => {
    const [grouped, plain] = [
      await route(`g*@${domain}`, { group_by_message_id: true }),
      await route(`p*@${domain}`),
    ];
    const second = await startWebhooks(database.url);
    try {
      const message_id_header = `<${newId()}@mail.test>`;
      const events = Array.from({ length: 20 }, (_, nth) =>
        received([`g${nth}`, `p${nth}`], { message_id_header }),
      );
      await Promise.all([
        deliver(under.service, events),
        deliver(second.service, [...events].reverse()),
        deliver(under.service, events),
      ]);
      await settled();
      const own = [...calledFor(grouped)];
      expect(own).toHaveLength(1);
      expect(new Set(calledFor(plain)).size).toBe(20);
      expect(calledFor(plain)).toHaveLength(20);
    } finally {
      await second.stop();
    }
  });
});

describe('spec 2-messages §16 rule 4: message.reception', () => {
  it('one per recipient for webhooks of the recipients’ domain, before the routes', async () => {
    const hook = async (more: object) => {
      const body = {
        name: 'Hook',
        url: 'https://shop.test/hook',
        scope: 'global',
        on_reception: true,
        ...more,
      };
      return (await under.webhooks('POST', '', { account_id, body })).body.id as string;
    };
    const [every, ofDomain] = [await hook({}), await hook({ scope: 'scoped', domains: [domain] })];
    const others = [
      await hook({ scope: 'scoped', domains: [`b.${domain}`] }),
      await hook({ on_reception: false }),
    ];
    const routed = await route(`a*@${domain}`);
    const event = received(['a1', 'a2']);
    await settled(event);
    const of = (id: string) => calls().filter(({ webhook_id }) => webhook_id === id);
    const bodies = of(ofDomain).map(({ body }) => JSON.parse(body));
    expect(bodies.slice(0, 2)).toEqual(
      event.data.recipients.map(({ id, email }) => ({
        type: 'message.reception',
        timestamp: '2026-01-05T11:00:00.25Z',
        webhook_id: ofDomain,
        data: {
          account_id,
          event: 'on_reception',
          from: 'zoe@mail.test',
          recipient: email,
          subject: 'Re: ticket 9',
          message_id_header: event.data.message_id_header,
          is_bot: false,
          id: id.replaceAll('-', ''),
        },
      })),
    );
    // the end of the test
    expect(of(every)).toHaveLength(3);
    expect(others.flatMap(of)).toEqual([]);
    const order = calls().map(({ webhook_id }) => webhook_id);
    expect(order.indexOf(routed)).toBeGreaterThan(order.lastIndexOf(every, order.indexOf(routed)));
  });
});
