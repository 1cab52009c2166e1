import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  changeByAttempt,
  MessageAccepted,
  MessageChanged,
  SuppressionsChanged,
} from '@postmesh/messages-contract';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { DomainDnsFailed } from '@postmesh/domains-contract';
import { WEBHOOK_DOCUMENTS } from '../api-document.js';
import { dnsErrorOf, suppressedAtAcceptance, suppressionCreatedOf } from './event-payloads.rules.js';
import { changeOf, receptionOf } from './event-payloads.rules.js';
import { publicTime, writeBody } from './event-payloads.rules.js';
import { sampleEvent } from './sample-events.rules.js';
import { EVENT_FLAGS, EVENT_TYPES, WEBHOOK_CALLS, WEBHOOK_EVENTS } from './webhook-events.table.js';

/** The literal examples of spec 2-messages §19, byte for byte: no line break at the end. */
const golden = (name: string): string => readFileSync(`${import.meta.dirname}/golden/${name}.json`, 'utf8');

const WEBHOOK = '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10';
const ACCOUNT = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const ACCEPTED = MessageAccepted.examples[0]!;
const ATTEMPTED = DeliveryAttempted.examples[0]!;
const CLICKED = MessageChanged.examples[1]!;

type Reply = (typeof ATTEMPTED)['reply'];

const outcome = (what: DeliveryOutcome, reply: Reply, finishedAt = '2026-01-05T08:00:02.000Z') =>
  writeBody(outcomeOf({ ...ATTEMPTED, outcome: what, reply, finished_at: finishedAt }), WEBHOOK);

/** The form in which the messages service publishes the worker's attempts. */
const outcomeOf = (attempted: typeof ATTEMPTED) =>
  eventOf(changeByAttempt(DeliveryAttempted.make(attempted, { account_id: ACCOUNT })).data);

const eventOf = (data: typeof CLICKED) => changeOf({ account_id: ACCOUNT, data })[0]!;

describe('message events are written as in the examples', () => {
  it('message.reception', () => {
    const accepted = { ...ACCEPTED, accepted_at: '2026-01-05T08:00:00.120345Z' };
    expect(writeBody(receptionOf(ACCOUNT, accepted, accepted.recipients[0]!), WEBHOOK)).toBe(
      golden('message.reception'),
    );
  });

  it('message.reception of a message of its own has the subject and Message-ID of its recipient', () => {
    const own = { subject: 'Ann, your order', message_id_header: '<2@shop.test>' };
    const recipient = { ...ACCEPTED.recipients[0]!, ...own };
    expect(receptionOf(ACCOUNT, ACCEPTED, recipient).data).toMatchObject(own);
    expect(suppressedAtAcceptance(ACCOUNT, ACCEPTED, recipient).data).toMatchObject(own);
  });

  it('spec 2-messages §19.1 of campaign mail have the name of the sender before its address, and no campaign', () => {
    const campaign = { campaign_id: ACCOUNT, sender_name: 'Shop' };
    const tracked = { ...CLICKED, ...campaign };
    const publicEvents = [
      receptionOf(ACCOUNT, { ...ACCEPTED, ...campaign }, ACCEPTED.recipients[0]!),
      outcomeOf({ ...ATTEMPTED, ...campaign }),
      eventOf(tracked),
    ];
    for (const { data } of publicEvents) {
      expect(data).toMatchObject({ from: 'Shop <news@shop.test>' });
      expect(Object.keys(data)).not.toContain('campaign_id');
    }
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
      golden('message.delivered'),
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
      golden('message.transient_error'),
    ],
    [
      'failed',
      { smtp_code: 451, response: 'try later', classification: 'TransientFailure' },
      '2026-01-06T08:00:02.000Z',
      golden('message.failed'),
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
      golden('message.bounced'),
    ],
    ['bounced', null, '2026-01-05T09:10:00.000Z', golden('message.bounced.reported-later')],
    ['suppressed', null, '2026-01-05T08:00:01.000Z', golden('message.suppressed')],
  ])('%s', (what, reply, finishedAt, written) => expect(outcome(what, reply, finishedAt)).toBe(written));
});

describe('fetches are written as in the examples', () => {
  it('message.opened', () => {
    const { url: _none, ...fetch } = CLICKED.fetch!;
    const opened = { ...CLICKED, change: 'opened' as const, changed_at: '2026-01-05T08:30:00.500Z', fetch };
    expect(writeBody(eventOf(opened), WEBHOOK)).toBe(golden('message.opened'));
  });

  it('message.clicked', () => {
    expect(writeBody(eventOf(CLICKED), WEBHOOK)).toBe(golden('message.clicked'));
  });

  it('of a bot, and of the sandbox, they differ in is_bot alone', () => {
    const ofBot = { is_bot: true, user_agent: '' };
    const { data } = eventOf({ ...CLICKED, sandbox: true, fetch: { ...CLICKED.fetch!, ...ofBot } });
    expect(data).toEqual({ ...eventOf(CLICKED).data, ...ofBot });
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
    ['is never part of failed', 'failed', { smtp_code: 451, response: 'x' }, undefined],
    ['is never part of suppressed', 'suppressed', { smtp_code: 550, response: 'x' }, undefined],
  ])('%s', (_, what, reply, shown) => {
    expect(JSON.parse(outcome(what, reply)).data.delivery_attempt).toEqual(shown);
  });
});

it('domain.dns_error is written as in the example', () => {
  expect(writeBody(dnsErrorOf({ ...DomainDnsFailed.examples[0]!, account_id: ACCOUNT }), WEBHOOK)).toBe(
    golden('domain.dns_error'),
  );
});

it('suppression.created is written as in the example', () => {
  const [change] = SuppressionsChanged.examples[0]!.changes;
  expect(writeBody(suppressionCreatedOf(ACCOUNT, change!), WEBHOOK)).toBe(golden('suppression.created'));
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

it('every event has its example, and every example its event', () => {
  const examples = readdirSync(`${import.meta.dirname}/golden`).map((file) =>
    JSON.parse(golden(file.slice(0, -5))),
  );
  expect([...new Set(examples.map(({ type }) => type))].sort()).toEqual([...EVENT_TYPES].sort());
  for (const { type, data } of examples) {
    const flag = EVENT_FLAGS.find((one) => WEBHOOK_EVENTS[one].type === type)!;
    expect(data.event).toBe(type.startsWith('message.') ? flag : undefined);
  }
});

it.each(EVENT_FLAGS)('a sample of %s has the keys of its example, in their order', (flag) => {
  const of = { account_id: ACCOUNT, domains: ['shop.test'] };
  const sample = JSON.parse(writeBody(sampleEvent(flag, of, new Date()), WEBHOOK));
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, inner]) => [key, shape(inner)])
      : typeof value;
  expect(shape(sample)).toEqual(shape(JSON.parse(golden(WEBHOOK_EVENTS[flag].type))));
});

describe('the API document', () => {
  it.each(readdirSync(`${import.meta.dirname}/golden`))(
    'has the schema of %s, with every field of it',
    (file) => {
      const body = JSON.parse(golden(file.replace(/\.json$/, '')));
      const flag = EVENT_FLAGS.find((one) => WEBHOOK_EVENTS[one].type === body.type)!;
      // fields that the schema does not name are left out
      expect(WEBHOOK_CALLS[flag].parse(body)).toEqual(body);
    },
  );

  it('shows each call with an example that keeps to its schema', () => {
    expect(Object.keys(WEBHOOK_DOCUMENTS)).toEqual([...EVENT_TYPES, 'message.routing']);
    for (const { body, example } of Object.values(WEBHOOK_DOCUMENTS))
      expect(body.parse(example)).toEqual(example);
  });
});
