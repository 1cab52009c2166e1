import { describe, expect, it } from 'vitest';
import {
  DeliveryAttempted,
  DomainDnsFailed,
  MessageAccepted,
  MessageTracked,
  SuppressionsChanged,
  type DeliveryOutcome,
} from '@postmesh/contracts';
import { dnsErrorOf, suppressedAtAcceptance, suppressionCreatedOf } from './event-payloads.rules.js';
import { outcomeOf, receptionBefore, receptionOf, trackedOf } from './event-payloads.rules.js';
import { publicTime, writeBody } from './event-payloads.rules.js';

// The literal examples of spec 2-messages §19, with its abbreviations.
const W = '"webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10"';
const A = '"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0"';
const M =
  '"from":"news@shop.test","recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>","id":"01980f3e5b7a7c11a2d40c5f9e6b8a01"';

const WEBHOOK = '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10';
const ACCOUNT = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const ACCEPTED = MessageAccepted.examples[0]!;
const ATTEMPTED = DeliveryAttempted.examples[0]!;

type Reply = (typeof ATTEMPTED)['reply'];

const outcome = (what: DeliveryOutcome, reply: Reply, finishedAt = '2026-01-05T08:00:02.000Z') =>
  writeBody(outcomeOf(ACCOUNT, { ...ATTEMPTED, outcome: what, reply, finished_at: finishedAt }), WEBHOOK);

describe('message events are written as in the examples', () => {
  it('message.reception', () => {
    const accepted = { ...ACCEPTED, accepted_at: '2026-01-05T08:00:00.120345Z' };
    expect(writeBody(receptionOf(ACCOUNT, accepted, accepted.recipients[0]!), WEBHOOK)).toBe(
      `{"type":"message.reception","timestamp":"2026-01-05T08:00:00.120345Z",${W},"data":{${A},"event":"on_reception",${M},"is_bot":false}}`,
    );
  });

  it('message.reception of a message of its own has the subject and Message-ID of its recipient', () => {
    const own = { subject: 'Ann, your order', message_id_header: '<2@shop.test>' };
    const recipient = { ...ACCEPTED.recipients[0]!, ...own };
    expect(receptionOf(ACCOUNT, ACCEPTED, recipient).data).toMatchObject(own);
    expect(suppressedAtAcceptance(ACCOUNT, ACCEPTED, recipient).data).toMatchObject(own);
  });

  it('message.reception told from an outcome reads the same', () => {
    const event = receptionBefore(outcomeOf(ACCOUNT, ATTEMPTED), ACCEPTED.accepted_at);
    expect(event).toEqual(receptionOf(ACCOUNT, ACCEPTED, ACCEPTED.recipients[0]!));
  });

  it('message.suppressed at acceptance reads like the one before an attempt', () => {
    const accepted = { ...ACCEPTED, accepted_at: '2026-01-05T08:00:01.000Z' };
    expect(writeBody(suppressedAtAcceptance(ACCOUNT, accepted, accepted.recipients[0]!), WEBHOOK)).toBe(
      outcome('suppressed', null, '2026-01-05T08:00:01.000Z'),
    );
  });

  it.each<[DeliveryOutcome, Reply, string, string]>([
    [
      'delivered',
      { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      '2026-01-05T08:00:02.000Z',
      `{"type":"message.delivered","timestamp":"2026-01-05T08:00:02Z",${W},"data":{${A},"event":"on_delivered",${M},"is_bot":false,"delivery_attempt":{"smtp_code":250,"enhanced_status_code":"2.0.0","response":"queued as 7F1","command":"DATA"}}}`,
    ],
    [
      'deferred',
      {
        command: 'RCPT TO',
        response: 'mailbox full',
        enhanced_status_code: '4.2.2',
        smtp_code: 452,
        classification: 'QuotaIssues',
      },
      '2026-01-05T08:00:02.000Z',
      `{"type":"message.transient_error","timestamp":"2026-01-05T08:00:02Z",${W},"data":{${A},"event":"on_transient_error",${M},"is_bot":false,"delivery_attempt":{"classification":"QuotaIssues","smtp_code":452,"enhanced_status_code":"4.2.2","response":"mailbox full","command":"RCPT TO"}}}`,
    ],
    [
      'failed',
      { smtp_code: 451, response: 'try later', classification: 'TransientFailure' },
      '2026-01-06T08:00:02.000Z',
      `{"type":"message.failed","timestamp":"2026-01-06T08:00:02Z",${W},"data":{${A},"event":"on_failed",${M},"is_bot":false}}`,
    ],
    [
      'bounced',
      {
        classification: 'InvalidRecipient',
        smtp_code: 550,
        enhanced_status_code: '5.1.1',
        response: 'no such user',
        command: 'RCPT TO',
      },
      '2026-01-05T08:00:02.000Z',
      `{"type":"message.bounced","timestamp":"2026-01-05T08:00:02Z",${W},"data":{${A},"event":"on_bounced",${M},"is_bot":false,"delivery_attempt":{"classification":"InvalidRecipient","smtp_code":550,"enhanced_status_code":"5.1.1","response":"no such user","command":"RCPT TO"}}}`,
    ],
    [
      'bounced',
      null,
      '2026-01-05T09:10:00.000Z',
      `{"type":"message.bounced","timestamp":"2026-01-05T09:10:00Z",${W},"data":{${A},"event":"on_bounced",${M},"is_bot":false}}`,
    ],
    [
      'suppressed',
      null,
      '2026-01-05T08:00:01.000Z',
      `{"type":"message.suppressed","timestamp":"2026-01-05T08:00:01Z",${W},"data":{${A},"event":"on_suppressed",${M},"is_bot":false}}`,
    ],
  ])('%s', (what, reply, finishedAt, written) => expect(outcome(what, reply, finishedAt)).toBe(written));
});

describe('fetches are written as in the examples', () => {
  const [clicked] = MessageTracked.examples;
  const U = '"user_agent":"Mozilla/5.0","ip":"198.51.100.7"';

  it('message.opened', () => {
    const { url: _none, ...data } = clicked!;
    const opened = { ...data, kind: 'opened' as const, occurred_at: '2026-01-05T08:30:00.500Z' };
    expect(writeBody(trackedOf(ACCOUNT, opened), WEBHOOK)).toBe(
      `{"type":"message.opened","timestamp":"2026-01-05T08:30:00.5Z",${W},"data":{${A},"event":"on_opened",${M},${U},"is_bot":false}}`,
    );
  });

  it('message.clicked', () => {
    expect(writeBody(trackedOf(ACCOUNT, clicked!), WEBHOOK)).toBe(
      `{"type":"message.clicked","timestamp":"2026-01-05T08:31:00.5Z",${W},"data":{${A},"event":"on_clicked",${M},"url":"https://shop.test/o/17",${U},"is_bot":false}}`,
    );
  });

  it('of a bot, and of the sandbox, they differ in is_bot alone', () => {
    const { data } = trackedOf(ACCOUNT, { ...clicked!, is_bot: true, sandbox: true, user_agent: '' });
    expect(data).toEqual({ ...trackedOf(ACCOUNT, clicked!).data, is_bot: true, user_agent: '' });
  });
});

describe('delivery_attempt', () => {
  it.each<[string, DeliveryOutcome, Reply, unknown]>([
    ['is left out with neither code nor text', 'deferred', { smtp_code: 0 }, undefined],
    ['is left out with an empty text only', 'deferred', { smtp_code: 0, response: '' }, undefined],
    [
      'has code 0 with our own text',
      'deferred',
      { smtp_code: 0, response: 'connection lost', classification: 'TransientFailure' },
      { classification: 'TransientFailure', smtp_code: 0, response: 'connection lost' },
    ],
    ['leaves out an empty reply', 'bounced', { smtp_code: 550, response: '' }, { smtp_code: 550 }],
    [
      'has no classification on success',
      'delivered',
      { smtp_code: 250, classification: 'Uncategorized' },
      { smtp_code: 250 },
    ],
    ['never stands on failed', 'failed', { smtp_code: 451, response: 'x' }, undefined],
    ['never stands on suppressed', 'suppressed', { smtp_code: 550, response: 'x' }, undefined],
  ])('%s', (_, what, reply, shown) => {
    expect(JSON.parse(outcome(what, reply)).data.delivery_attempt).toEqual(shown);
  });
});

it('domain.dns_error is written as in the example', () => {
  expect(writeBody(dnsErrorOf({ ...DomainDnsFailed.examples[0]!, account_id: ACCOUNT }), WEBHOOK)).toBe(
    `{"type":"domain.dns_error","timestamp":"2026-01-05T10:00:00Z",${W},"data":{"domain":"shop.test",${A},"spf_valid":true,"dkim_valid":false,"dmarc_valid":true,"dns_last_checked_at":"2026-01-05T10:00:00Z"}}`,
  );
});

it('suppression.created is written as in the example', () => {
  const [change] = SuppressionsChanged.examples[0]!.changes;
  expect(writeBody(suppressionCreatedOf(ACCOUNT, change!), WEBHOOK)).toBe(
    `{"type":"suppression.created","timestamp":"2026-01-05T08:00:03Z",${W},"data":{${A},"recipient":"gone@mail.test","created_at":"2026-01-05T08:00:03Z","expires_at":"2026-02-04T08:00:03Z","reason":"Too many hard bounces","sending_domain":"shop.test"}}`,
  );
});

describe('a public time', () => {
  it.each([
    ['2026-01-05T08:00:02.000Z', '2026-01-05T08:00:02Z'],
    ['2026-01-05T08:30:00.500Z', '2026-01-05T08:30:00.5Z'],
    ['2026-01-05T08:00:00.120345Z', '2026-01-05T08:00:00.120345Z'],
    ['2026-01-05T08:00:00.010Z', '2026-01-05T08:00:00.01Z'],
    ['2026-01-05T08:00:10Z', '2026-01-05T08:00:10Z'],
  ])('%s is %s', (given, shown) => expect(publicTime(given)).toBe(shown));
});
