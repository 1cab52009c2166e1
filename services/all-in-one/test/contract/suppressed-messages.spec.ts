import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { sendMessage } from './families.js';
import { eventually, sharedInstallation, unique, type Account } from './harness.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let account: Account;
let domain: string;

beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

async function suppress(email: string, more: { domain?: string; expires_at?: string } = {}): Promise<void> {
  const body = { email, domain, expires_at: inSeconds(3_600), ...more };
  const { status } = await postmesh.api(account.key, 'POST', '{A}/suppressions', { body });
  expect(status).toBe(201);
}

/** A message to one recipient. @returns its Message-ID */
async function send(to: string, more: object = {}): Promise<string> {
  const { status, body } = await sendMessage(postmesh, account, { from: domain, to: [to], more });
  expect(status).toBe(202);
  return body.data[0].id;
}
const sendLater = (to: string) => send(to, { schedule: { first_attempt: inSeconds(3_600) } });

/** Makes the first attempt due, with the current list in the delivery worker. */
async function attemptNow(to: string, { isSuppressed }: { isSuppressed: boolean }): Promise<void> {
  const copied =
    'select suppressed_until > now() as is_suppressed from delivery_worker.suppressions where recipient = $1';
  const known = async () =>
    (await postmesh.sql<{ is_suppressed: boolean | null }>(copied, [to])).map(
      (row) => row.is_suppressed ?? false,
    );
  await eventually(known).toEqual([isSuppressed]);
  const due = 'update delivery_worker.deliveries set due_at = now() where recipient = $1 returning id';
  await eventually(() => postmesh.sql(due, [to])).toHaveLength(1);
}

const message = async (id: string) =>
  (await postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`)).body;
const ends = (id: string) => eventually(async () => (await message(id)).status, 20_000);

async function webhook(flags: object, more: object = { scope: 'global' }): Promise<string> {
  const body = { name: 'All', url: receiver.url, ...more, ...flags };
  const { status, body: made } = await postmesh.api(account.key, 'POST', '{A}/webhooks', { body });
  expect(status).toBe(201);
  return made.id;
}

interface Call {
  type: string;
  webhook_id: string;
  timestamp: string;
  data: Record<string, unknown>;
}
const calls = (webhookId: string): Call[] =>
  receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as Call)
    .filter(({ webhook_id }) => webhook_id === webhookId);
const typesOf = (webhookId: string) => calls(webhookId).map(({ type }) => type);

describe('§14.3 rule 1: a suppressed recipient', () => {
  it('§14.3 rule 1 before the attempt: a message that was accepted earlier ends as suppressed, without a connection', async () => {
    const hook = await webhook({ on_reception: true, on_suppressed: true, on_failed: true });
    const to = `${unique('gone')}@mail.test`;
    const id = await sendLater(to);
    expect((await message(id)).status).toBe('Scheduled');
    await suppress(to);
    await attemptNow(to, { isSuppressed: true });
    await ends(id).toBe('Suppressed');
    const ended = await message(id);
    expect(ended).toMatchObject({ num_attempts: 0, sent_at: null, bounce_classification: '' });
    expect(ended.delivery_attempts).toMatchObject([{ status: 'Suppression' }]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
    await eventually(() => typesOf(hook)).toEqual(['message.reception', 'message.suppressed']);
    const [, call] = calls(hook);
    expect(call!.data).toMatchObject({ event: 'on_suppressed', recipient: to, message_id_header: id });
    expect(call!.data).not.toHaveProperty('delivery_attempt');
  });

  it('§14.3 rule 1 at acceptance: webhooks get the reception, then the suppression', async () => {
    const hook = await webhook({ on_reception: true, on_suppressed: true });
    const to = `${unique('gone')}@mail.test`;
    await suppress(to);
    // §1.2 rule 2: an address with other letter case is the same address
    const id = await send(`  ${to.toUpperCase()} `);
    await ends(id).toBe('Suppressed');
    await eventually(() => typesOf(hook)).toEqual(['message.reception', 'message.suppressed']);
    expect(new Set(calls(hook).map(({ data }) => data['recipient']))).toEqual(new Set([to]));
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('§14.3 rule 1 of one sending domain in one account gets the mail of the others', async () => {
    const other = await postmesh.newAccount();
    const parts = { domain: await postmesh.verifiedDomain(account), child: `news.${domain}` };
    const theirs = await postmesh.verifiedDomain(other);
    const to = `${unique('picky')}@mail.test`;
    await postmesh.verifiedDomain(account, parts.child);
    await suppress(to);
    const senders: [Account, string][] = [
      [account, parts.domain],
      [account, parts.child],
      [other, theirs],
    ];
    for (const [by, from] of senders) {
      expect((await sendMessage(postmesh, by, { from, to: [to] })).status).toBe(202);
    }
    await eventually(async () => (await postmesh.messagesTo(to)).map(({ from }) => from).sort()).toEqual(
      senders.map(([, from]) => `news@${from}`).sort(),
    );
  });

  it('§14.3 rule 1 a recipient that is taken from the list before the attempt gets the message', async () => {
    const to = `${unique('back')}@mail.test`;
    const id = await sendLater(to);
    await suppress(to);
    const path = `{A}/suppressions?email=${encodeURIComponent(to)}&domain=${domain}`;
    expect((await postmesh.api(account.key, 'DELETE', path)).status).toBe(200);
    await attemptNow(to, { isSuppressed: false });
    await ends(id).toBe('Delivered');
    expect(await postmesh.messagesTo(to)).toHaveLength(1);
  });

  it('§14.3 rule 1 the list is not checked for a sandbox send', async () => {
    const to = `${unique('gone')}@mail.test`;
    await suppress(to);
    await ends(await send(to, { sandbox: true })).toBe('Sandbox Delivered');
  });
});

it('§14.3 rule 2 from expires_at on a suppression no longer blocks, neither message nor attempt', async () => {
  const to = `${unique('short')}@mail.test`;
  const id = await sendLater(to);
  // long enough for a request on a busy machine
  await suppress(to, { expires_at: inSeconds(3) });
  await attemptNow(to, { isSuppressed: false });
  await ends(id).toBe('Delivered');
  await ends(await send(to)).toBe('Delivered');
  expect(await postmesh.messagesTo(to)).toHaveLength(2);
});

describe('§14.3 rule 6: suppression.created', () => {
  it('§14.3 rule 6 is sent in the form of the contract, to webhooks of the sending domain', async () => {
    const other = await postmesh.verifiedDomain(account);
    const wanted = { on_suppression_created: true };
    const all = await webhook(wanted);
    const scoped = await webhook(wanted, { scope: 'scoped', domains: [other] });
    const email = `${unique('gone')}@mail.test`;
    const body = { email, expires_at: '2030-01-05T08:00:00.500Z', reason: 'asked by phone' };
    const { status, body: made } = await postmesh.api(account.key, 'POST', '{A}/suppressions', { body });
    expect(status).toBe(201);
    // §14.2 POST rule 2: one row, and one event, per domain of the account
    await eventually(() => calls(all).length).toBe(2);
    await eventually(() => calls(scoped).length).toBe(1);
    const [row] = made.data.filter((one: { domain: string }) => one.domain === other);
    const [call] = calls(scoped);
    expect(call).toEqual({
      type: 'suppression.created',
      webhook_id: scoped,
      timestamp: call!.data['created_at'],
      data: {
        account_id: account.id,
        recipient: email,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        expires_at: '2030-01-05T08:00:00.5Z',
        reason: 'asked by phone',
        sending_domain: other,
      },
    });
    expect(Date.parse(String(call!.data['created_at']))).toBe(Date.parse(row.created_at));
    expect(
      calls(all)
        .map(({ data }) => data['sending_domain'])
        .sort(),
    ).toEqual([domain, other].sort());
  });

  it('§14.3 rule 6 is not sent again for an address on the list', async () => {
    const hook = await webhook({ on_suppression_created: true });
    const email = `${unique('gone')}@mail.test`;
    await suppress(email);
    const again = { body: { email, domain, expires_at: inSeconds(7_200) } };
    expect((await postmesh.api(account.key, 'POST', '{A}/suppressions', again)).status).toBe(409);
    await suppress(`other-${email}`);
    await eventually(() => calls(hook).map(({ data }) => data['recipient'])).toEqual([
      email,
      `other-${email}`,
    ]);
  });
});
