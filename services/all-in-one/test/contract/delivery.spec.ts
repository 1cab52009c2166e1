import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique } from './harness.js';
import { inDays, ok, Sender } from './sender.js';

const postmesh = sharedInstallation();
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const address = (kind = 'r') => `${unique(kind)}@mail.test`;
const scheduled = { schedule: { first_attempt: inDays(1) } };
const arrived = async (to: string) => (await postmesh.messagesTo(to)).length;
const timeline = async (id: string) => {
  const { body } = await postmesh.operator('GET', `/operator/messages/messages/${id}`);
  return body.timeline as { what: string; reply: string | null; tls: string | null }[];
};
/** The window of its first attempt has just ended. */
const windowOver = (id: string) => sender.attemptNow(id, `, first_attempt_at = now() - interval '24 hours'`);

describe('spec 2-messages §14 outbound delivery', () => {
  it('spec 2-messages §14 rule 2 STARTTLS is used where it is offered', async () => {
    const id = await sender.send(address());
    await sender.becomes(id, 'Delivered');
    const [, attempt] = await timeline(id);
    expect(attempt?.tls).toMatch(/^TLSv1\.[23] /);
  });

  it('spec 2-messages §14 rule 4 a 5xx is Bounced at once, without a retry', async () => {
    const id = await sender.send(address('bounce'));
    const message = await sender.becomes(id, 'Bounced');
    expect(message).toMatchObject({ num_attempts: 1, bounce_classification: 'InvalidRecipient' });
    expect(await postmesh.sql('select from delivery_worker.deliveries where id = $1', [id])).toEqual([]);
  });

  it('spec 2-messages §14 rule 4 a 4xx is Deferred, and delivered at a later attempt', async () => {
    const id = await sender.send(address('greylist'));
    expect(await sender.becomes(id, 'Deferred')).toMatchObject({ num_attempts: 1 });
    await sender.attemptNow(id);
    expect(await sender.becomes(id, 'Delivered')).toMatchObject({ num_attempts: 2 });
  });

  it('spec 2-messages §14 rule 5 the first retry comes after five minutes, the end is Failed', async () => {
    const id = await sender.send(address('defer'));
    await sender.becomes(id, 'Deferred');
    const due = `select extract(epoch from due_at - now())::int as seconds from delivery_worker.deliveries where id = $1`;
    const [row] = await postmesh.sql<{ seconds: number }>(due, [id]);
    expect(row?.seconds).toBeGreaterThan(240);
    expect(row?.seconds).toBeLessThanOrEqual(330);
    await sender.attemptNow(id, ', attempts = 7');
    const message = await sender.becomes(id, 'Failed');
    expect(message).toMatchObject({ num_attempts: 8, bounce_classification: 'MessageExpired' });
  });

  it('spec 2-messages §14 rule 6 a suppression right before the attempt is Suppressed, without a connection', async () => {
    const to = address();
    const id = await sender.send(to, scheduled);
    const body = { email: to, domain: sender.domain, expires_at: inDays(1) };
    ok(await sender.api('POST', '{A}/suppressions', body), 201);
    const copied = 'select from delivery_worker.suppressions where recipient = $1';
    await eventually(async () => (await postmesh.sql(copied, [to])).length).toBe(1);
    await sender.attemptNow(id);
    expect(await sender.becomes(id, 'Suppressed')).toMatchObject({ num_attempts: 0, sent_at: null });
    expect(await arrived(to)).toBe(0);
    expect((await timeline(id))[1]).toMatchObject({ tls: null });
  });

  it('spec 2-messages §14 rule 7 each attempt counts, has an entry, and changes the status with its event', async () => {
    const id = await sender.send(address('defer'));
    for (const attempts of [1, 2, 3]) {
      await eventually(async () => (await sender.message(id)).num_attempts).toBe(attempts);
      const { status, delivery_attempts } = await sender.message(id);
      expect([status, delivery_attempts.length]).toEqual(['Deferred', attempts]);
      if (attempts < 3) await sender.attemptNow(id);
    }
  });

  it('spec 2-messages §14 rule 7 an attempt with an unknown outcome is recorded, and the message is sent again under the same Message-ID', async () => {
    const to = address('dropdot');
    const id = await sender.send(to);
    const message = await sender.becomes(id, 'Deferred');
    expect(message.delivery_attempts).toMatchObject([
      { log: expect.stringContaining('the reply to the message was lost; it may arrive twice') },
    ]);
    expect((await timeline(id))[1]?.what).toBe('TransientFailure, uncertain: it may have arrived');
    await sender.attemptNow(id);
    await eventually(async () => (await sender.message(id)).num_attempts).toBe(2);
    expect(await sender.message(id)).toMatchObject({ message_id: message.message_id });
    const metrics = await fetch(
      `${postmesh.credentials.operator_url.replace('localhost', '127.0.0.1')}/metrics`,
    );
    expect(await metrics.text()).toMatch(/postmesh_delivery_uncertain_total\{[^}]*reply lost[^}]*\} \d/);
  });

  it('spec 2-messages §14 rule 8 of a paused domain waits as Deferred until its window ends', async () => {
    const own = await Sender.make(postmesh);
    const to = address();
    const id = await own.send(to, scheduled);
    const path = `/operator/domains/accounts/${own.account.id}/domains/${own.domain}/pause`;
    ok(await postmesh.operator('POST', path, { reason: 'a test' }), 200);
    await own.attemptNow(id);
    await own.becomes(id, 'Deferred');
    await windowOver(id);
    expect(await own.becomes(id, 'Failed')).toMatchObject({ bounce_classification: 'MessageExpired' });
    expect(await arrived(to)).toBe(0);
  });

  it('spec 2-messages §14 rule 8 of a suspended account waits until its window ends', async () => {
    const own = await Sender.make(postmesh);
    const operate = (action: string) =>
      postmesh.operator('POST', `/operator/accounts/accounts/${own.account.id}/${action}`, {
        reason: 'a test',
      });
    const to = address();
    const id = await own.send(to, { schedule: { first_attempt: inDays(1), expires: inDays(2) } });
    ok(await operate('suspend'), 200);
    const waits = () => postmesh.sql('select state from delivery_worker.deliveries where id = $1', [id]);
    await eventually(waits).toEqual([{ state: 'suspended' }]);
    await own.attemptNow(id, ', expires = now(), suspended_until = now()');
    await postmesh.periodic('delivery-worker', 'follow-account-states');
    const ended = `select status, num_attempts from messages.messages where id = $1`;
    await eventually(() => postmesh.sql(ended, [id]), 30_000).toEqual([
      { status: 'Failed', num_attempts: 0 },
    ]);
    expect(await arrived(to)).toBe(0);
    ok(await operate('resume'), 200);
    expect(await own.message(id)).toMatchObject({
      status: 'Failed',
      bounce_classification: 'MessageExpired',
    });
  });
});
