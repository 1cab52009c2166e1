import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, sharedInstallation, unique } from './harness.js';
import { inDays, ok, Sender, typesOf, type Call } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let sender: Sender;
let calls: () => Call[];

beforeAll(async () => {
  receiver = await startHttpReceiver();
  sender = await Sender.make(postmesh);
  calls = await sender.webhook(receiver);
});
afterAll(() => receiver?.close());

const address = (kind = 'r') => `${unique(kind)}@mail.test`;
const tomorrow = () => ({ schedule: { first_attempt: inDays(1) } });
/** All events of the message in their order, except the kinds that no test here is about. */
const eventTypes = (id: string) =>
  eventually(() => typesOf(calls(), id).map((type) => type.replace('message.', '')));

describe('spec 2-messages §7 accepted', () => {
  it('spec 2-messages §7 accepted without a time it is Received, then Delivered', async () => {
    const id = await sender.send(address('slow'));
    expect((await sender.message(id)).status).toBe('Received');
    await sender.becomes(id, 'Delivered');
    await eventTypes(id).toEqual(['reception', 'delivered']);
  });

  it('spec 2-messages §7 accepted with first_attempt it is Scheduled, with its event at once, and Received when it is due', async () => {
    const id = await sender.send(address(), tomorrow());
    await eventTypes(id).toEqual(['reception']);
    expect((await sender.message(id)).status).toBe('Scheduled');
    await postmesh.sql('update messages.send_requests set first_attempt = now() where id = $1', [id]);
    expect((await sender.message(id)).status).toBe('Received');
    await eventTypes(id).toEqual(['reception']);
  });
});

describe('spec 2-messages §7 before an attempt', () => {
  it('spec 2-messages §7 Scheduled becomes Canceled, without an event', async () => {
    const id = await sender.send(address(), tomorrow());
    ok(await sender.api('DELETE', `{A}/messages/${id}/cancel`), 200);
    expect((await sender.message(id)).status).toBe('Canceled');
    const next = await sender.send(address());
    await eventTypes(next).toEqual(['reception', 'delivered']);
    await eventTypes(id).toEqual(['reception']);
  });

  it('spec 2-messages §7 Received becomes Suppressed by a live suppression', async () => {
    const to = address();
    const body = { email: to, domain: sender.domain, expires_at: inDays(1) };
    ok(await sender.api('POST', '{A}/suppressions', body), 201);
    const id = await sender.send(to);
    await sender.becomes(id, 'Suppressed');
    await eventTypes(id).toEqual(['reception', 'suppressed']);
  });

  it('spec 2-messages §7 Scheduled becomes Failed when its time is over', async () => {
    const id = await sender.send(address(), tomorrow());
    await sender.attemptNow(id, ', expires = now()');
    await sender.becomes(id, 'Failed');
    await eventTypes(id).toEqual(['reception', 'failed']);
  });
});

describe('spec 2-messages §7 by attempts', () => {
  it('spec 2-messages §7 Received becomes Deferred, with an event each time, then Delivered', async () => {
    const id = await sender.send(address('greylist'));
    expect(await sender.becomes(id, 'Deferred')).toMatchObject({ num_attempts: 1, delivered_at: null });
    await sender.attemptNow(id);
    expect(await sender.becomes(id, 'Delivered')).toMatchObject({
      num_attempts: 2,
      delivery_attempts: [{ status: 'TransientFailure' }, { status: 'Delivery' }],
    });
    await eventTypes(id).toEqual(['reception', 'transient_error', 'delivered']);
  });

  it('spec 2-messages §7 Deferred stays Deferred at the next temporary failure, and becomes Failed at the end', async () => {
    const id = await sender.send(address('defer'));
    await sender.becomes(id, 'Deferred');
    await sender.attemptNow(id);
    await eventTypes(id).toEqual(['reception', 'transient_error', 'transient_error']);
    expect(await sender.message(id)).toMatchObject({ status: 'Deferred', num_attempts: 2 });
    await sender.attemptNow(id, ', expires = now()');
    await sender.becomes(id, 'Failed');
    await eventTypes(id).toEqual(['reception', 'transient_error', 'transient_error', 'failed']);
  });

  it('spec 2-messages §7 Received becomes Bounced by a permanent rejection', async () => {
    const id = await sender.send(address('bounce'));
    const bounced = { num_attempts: 1, bounce_classification: 'InvalidRecipient' };
    expect(await sender.becomes(id, 'Bounced')).toMatchObject(bounced);
    await eventTypes(id).toEqual(['reception', 'bounced']);
  });
});

describe('spec 2-messages §7 by people', () => {
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };
  const more = {
    html_content: '<p><a href="https://shop.test/look">Look</a></p>',
    tracking: { open: true, click: true },
  };

  /** A delivered message, delivered a minute ago, with the paths of its pixel and its link. */
  async function tracked(): Promise<{ id: string; open: string; click: string }> {
    const id = await sender.send(address(), more);
    const { content_parsed } = await sender.becomes(id, 'Delivered');
    const html = JSON.stringify(content_parsed.parts);
    const path = (start: string) => new RegExp(`/${start}/[\\w-]+`).exec(html)![0];
    // a click within seconds of the delivery would count as a scanner's
    await postmesh.sql(
      `update messages.messages set delivered_at = delivered_at - interval '1 minute' where id = $1`,
      [id],
    );
    return { id, open: path('o'), click: path('c') };
  }
  const fetched = (path: string) => postmesh.api(null, 'GET', path, { headers });

  it('spec 2-messages §7 Delivered becomes Opened by the first open, then Clicked by the first click; an open changes no Clicked', async () => {
    const { id, open, click } = await tracked();
    expect((await fetched(open)).status).toBe(200);
    expect(await sender.becomes(id, 'Opened')).toMatchObject({ open_count: 1, click_count: 0 });
    expect((await fetched(click)).status).toBe(302);
    expect(await sender.becomes(id, 'Clicked')).toMatchObject({ open_count: 1, click_count: 1 });
    await fetched(open);
    await eventually(async () => (await sender.message(id)).open_count).toBe(2);
    expect((await sender.message(id)).status).toBe('Clicked');
    await eventTypes(id).toEqual(['reception', 'delivered', 'opened', 'clicked', 'opened']);
  });

  it('spec 2-messages §7 Delivered becomes Clicked without an open', async () => {
    const { id, click } = await tracked();
    await fetched(click);
    await sender.becomes(id, 'Clicked');
  });
});

it('spec 2-messages §7 the list knows every status', async () => {
  const statuses = [
    'Received',
    'Delivered',
    'Opened',
    'Clicked',
    'Deferred',
    'Bounced',
    'Failed',
    'Suppressed',
  ];
  const sandbox = ['Delivered', 'Deferred', 'Failed', 'Bounced', 'Suppressed'].map((one) => `Sandbox ${one}`);
  for (const status of [...statuses, ...sandbox, 'Scheduled', 'Canceled']) {
    ok(await sender.api('GET', `{A}/messages?limit=1&status=${encodeURIComponent(status)}`), 200);
  }
});
