import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, sharedInstallation, unique } from './harness.js';
import { inDays, inSeconds, ok, Sender, type Call } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let sender: Sender;

beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  sender = await Sender.make(postmesh);
});

/** An address with this reply: `552-5.2.2-mailbox-full`. */
const replying = (reply: string) => `say-${reply}-${unique('r')}@mail.test`;
const GONE = '550-5.1.1-no';
const FULL = '552-5.2.2-full';

interface Row {
  email: string;
  domain: string;
  reason: string;
  protected: boolean;
  created_at: string;
  expires_at: string;
}
const suppressions = async (to: string): Promise<Row[]> =>
  ok(await sender.api('GET', `{A}/suppressions?email=${encodeURIComponent(to)}`), 200).data;
/** The duration and the reason of each. */
const terms = async (to: string) =>
  (await suppressions(to)).map(({ created_at, expires_at, reason }) => {
    const days = (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000;
    return `${Math.round(days * 1_000) / 1_000} ${reason}`;
  });
const HARD = ['30 Too many hard bounces'];
const SOFT = ['15 Too many soft bounces'];

async function bounces(to: string) {
  return sender.becomes(await sender.send(to), 'Bounced');
}
/** No time is left for a retry: the first failure ends the message. */
const soonOver = () => ({ schedule: { expires: inSeconds(100) } });
async function fails(to: string, more: object = soonOver()) {
  return sender.becomes(await sender.send(to, more), 'Failed');
}
/** Its next attempt is the eighth, and due now. */
async function usedUp(to: string) {
  const id = await sender.send(to);
  await sender.becomes(id, 'Deferred');
  await sender.attemptNow(id, ', attempts = 7');
  return sender.becomes(id, 'Failed');
}

it('spec 2-messages §15.1 Bounced is rejected for good, Failed is not accepted in time, Suppressed is never tried', async () => {
  const gone = replying(GONE);
  expect(await bounces(gone)).toMatchObject({
    num_attempts: 1,
    bounce_classification: 'InvalidRecipient',
    delivery_attempts: [{ status: 'Bounce' }],
  });
  expect(await fails(replying('452-4.2.2-full'))).toMatchObject({
    num_attempts: 1,
    bounce_classification: 'MessageExpired',
  });
  await eventually(() => terms(gone)).toEqual(HARD);
  const again = await sender.becomes(await sender.send(gone), 'Suppressed');
  expect(again).toMatchObject({ num_attempts: 0, sent_at: null, bounce_classification: '' });
});

describe('spec 2-messages §15.2', () => {
  const CLASSES: [reply: string, classification: string][] = [
    ['550-5.1.1-no', 'InvalidRecipient'],
    ['550-5.1.0-no', 'InvalidRecipient'],
    ['550-5.7.1-user-unknown', 'InvalidRecipient'],
    ['550-5.1.2-no', 'BadDomain'],
    ['556-5.1.10-no', 'BadDomain'],
    ['550-5.2.1-no', 'InactiveMailbox'],
    ['550-5.3.0-mailbox-disabled', 'InactiveMailbox'],
    ['552-5.2.2-no', 'QuotaIssues'],
    ['452-4.0.0-no', 'QuotaIssues'],
    ['553-5.1.7-no', 'InvalidSender'],
    ['553-5.1.8-no', 'InvalidSender'],
    ['450-4.4.1-no', 'NoAnswerFromHost'],
    ['450-4.4.2-no', 'BadConnection'],
    ['550-5.4.3-no', 'RoutingErrors'],
    ['554-5.4.6-no', 'RoutingErrors'],
    ['451-4.4.4-no', 'DNSFailure'],
    ['550-5.4.7-no', 'MessageExpired'],
    ['503-5.5.1-no', 'ProtocolErrors'],
    ['554-5.5.0-no', 'ProtocolErrors'],
    ['550-5.7.20-no', 'AuthenticationFailed'],
    ['550-5.7.26-no', 'AuthenticationFailed'],
    ['550-5.7.1-dmarc', 'AuthenticationFailed'],
    ['550-5.0.0-spf', 'AuthenticationFailed'],
    ['550-5.6.0-dkim', 'AuthenticationFailed'],
    ['550-5.7.1-no', 'PolicyRelated'],
    ['550-5.7.27-no', 'PolicyRelated'],
    ['450-4.0.0-no', 'TransientFailure'],
    ['550-5.1.3-no', 'Uncategorized'],
    ['550-5.1.1-unavailable-is-blacklisted', 'PolicyRelated'],
  ];

  it('spec 2-messages §15.2 each reply has its class', async () => {
    const ids = await Promise.all(CLASSES.map(([reply]) => sender.send(replying(reply))));
    const classes = () =>
      Promise.all(ids.map(async (id) => (await sender.message(id)).bounce_classification));
    const expected = CLASSES.map(([, classification]) => classification);
    await eventually(classes).toEqual(expected);
  });
});

describe('spec 2-messages §15.3', () => {
  it('spec 2-messages §15.3 rule 1 the first bounce of a mailbox or domain that is not there suppresses for 30 days', async () => {
    const to = [replying(GONE), replying('550-5.2.1-no'), `${unique('r')}@nowhere.invalid`];
    await Promise.all(to.map((one) => bounces(one)));
    for (const one of to) await eventually(() => terms(one)).toEqual(HARD);
  });

  it('spec 2-messages §15.3 rule 2 other bounces of the recipient suppress at the third', async () => {
    const to = replying(FULL);
    await bounces(to);
    await bounces(to);
    const other = replying(GONE);
    await bounces(other);
    await eventually(() => terms(other)).toEqual(HARD);
    // a later one is suppressed: the two before it are counted, and do not suppress
    expect(await terms(to)).toEqual([]);
    await bounces(to);
    await eventually(() => terms(to)).toEqual(HARD);
  });

  it('spec 2-messages §15.3 rule 2 mail that a full mailbox did not take in time suppresses at the third, for 7 days', async () => {
    const to = replying('452-4.2.2-full');
    await fails(to);
    await fails(to);
    expect(await terms(to)).toEqual([]);
    await fails(to);
    await eventually(() => terms(to)).toEqual(['7 Too many soft bounces']);
  });

  it('spec 2-messages §15.3 rule 2 blocks for policy, reputation, authentication, content, protocol and sender never suppress', async () => {
    const to = [
      '550-5.7.1-no',
      '550-5.1.1-unavailable-and-blacklisted',
      '550-5.7.26-no',
      '554-5.7.1-virus-found',
      '503-5.5.1-no',
      '553-5.1.8-no',
    ].map(replying);
    await Promise.all([...to, ...to, ...to].map((one) => bounces(one)));
    const gone = replying(GONE);
    await bounces(gone);
    await eventually(() => terms(gone)).toEqual(HARD);
    for (const one of to) expect(await terms(one)).toEqual([]);
  });

  it('spec 2-messages §15.3 rule 3 failed after all retries suppresses for 15 days', async () => {
    const to = [replying('452-4.2.2-full'), replying('451-4.3.0-no')];
    await Promise.all(to.map((one) => usedUp(one)));
    for (const one of to) await eventually(() => terms(one)).toEqual(SOFT);
  });

  it('spec 2-messages §15.3 rule 3 not when expires cut the window, nor when the cause was ours', async () => {
    const late = replying('451-4.3.0-no');
    await fails(late);
    const ours = `${unique('r')}@mail.test`;
    const id = await sender.send(ours, { schedule: { first_attempt: inDays(1) } });
    const pause = `/operator/domains/accounts/${sender.account.id}/domains/${sender.domain}/pause`;
    ok(await postmesh.operator('POST', pause, { reason: 'test' }), 200);
    await sender.attemptNow(id, ', attempts = 7');
    await sender.becomes(id, 'Failed');
    expect([await terms(late), await terms(ours)]).toEqual([[], []]);
  });

  it('spec 2-messages §15.3 rule 4 the row is not protected, a longer one is kept, and only a new one has an event', async () => {
    const calls: () => Call[] = await sender.webhook(receiver);
    const [fresh, known] = [replying(GONE), replying(GONE)];
    const id = await sender.send(known, { schedule: { first_attempt: inDays(1) } });
    await postmesh.sql(
      `insert into messages.suppressions (account_id, domain, email, id, reason, protected, source, created_at, expires_at)
       values ($1, $2, $3, gen_random_uuid(), 'asked by phone', false, 'api', now(), now() + interval '90 days')`,
      [sender.account.id, sender.domain, known],
    );
    await sender.attemptNow(id);
    await sender.becomes(id, 'Bounced');
    await bounces(fresh);
    await eventually(() => suppressions(fresh)).toMatchObject([
      { email: fresh, domain: sender.domain, protected: false },
    ]);
    expect(await terms(known)).toEqual(['90 asked by phone']);
    const created = () => calls().filter(({ type }) => type === 'suppression.created');
    await eventually(() => created().map(({ data }) => data['recipient'])).toEqual([fresh]);
  });

  it('spec 2-messages §15.3 rule 5 an expired row stops automatically', async () => {
    const to = replying(GONE);
    await bounces(to);
    await eventually(() => terms(to)).toEqual(HARD);
    await sender.becomes(await sender.send(to), 'Suppressed');
    const account = [sender.account.id];
    await postmesh.sql(
      'update messages.suppressions set expires_at = now() - make_interval(secs => 1) where account_id = $1',
      account,
    );
    await postmesh.sql(
      'update delivery_worker.suppressions set suppressed_until = now() - make_interval(secs => 1) where account_id = $1',
      account,
    );
    expect(await terms(to)).toEqual([]);
    await bounces(to);
    await eventually(() => terms(to)).toEqual(HARD);
  });
});
