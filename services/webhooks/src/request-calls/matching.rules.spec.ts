import { dialectOf, hasCounterpart, WEBHOOK_DIALECT_NAMES } from '@postmesh/webhook-dialects';
import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../webhook-events/sample-events.rules.js';
import {
  EVENT_FLAGS,
  EVENT_TYPES,
  perEvent,
  WEBHOOK_EVENTS,
  type EventFlag,
} from '../webhook-events/webhook-events.table.js';
import type { PublicEvent } from '../webhook-events/event-payloads.rules.js';
import { AT_ONCE, divide, planCalls, wants, type Listener, type Standing } from './matching.rules.js';

function listener(more: Partial<Listener>): Listener {
  return {
    id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
    account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    created_at: new Date(0),
    url: 'https://shop.test/hooks',
    enabled: true,
    scope: 'global',
    domains: [],
    events: [],
    dialect: null,
    ...more,
  };
}

const SCOPED = {
  scope: 'scoped' as const,
  domains: ['shop.test', 'b.test'],
  events: ['on_bounced' as const],
};

describe('the events of a webhook', () => {
  it.each([
    ['global with the event', { events: ['on_bounced' as const] }, 'any.test', true],
    ['global without the event', { events: ['on_delivered' as const] }, 'any.test', false],
    ['scoped to the domain', SCOPED, 'shop.test', true],
    ['scoped to another domain', SCOPED, 'c.test', false],
    ['scoped to the parent domain', SCOPED, 'mail.shop.test', false],
    ['scoped to nothing any more', { ...SCOPED, domains: [] }, 'shop.test', false],
  ])('%s', (_, more, domain, wanted) => expect(wants(listener(more), 'on_bounced', domain)).toBe(wanted));

  it.each(EVENT_FLAGS)('by its own event %s only', (flag) => {
    const subscribed = listener({ events: [flag] });
    expect(EVENT_FLAGS.filter((asked) => wants(subscribed, asked, 'shop.test'))).toEqual([flag]);
  });
});

describe('the events of a webhook in a dialect', () => {
  const account_id = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
  const calledFor = (event: PublicEvent) =>
    planCalls({ event, trace: null }, [
      listener({ id: 'ours', events: [...EVENT_FLAGS] }),
      listener({ id: 'theirs', events: [...EVENT_FLAGS], dialect: 'postmark' }),
    ]).map(({ listener: { id } }) => id);
  const sample = (flag: EventFlag) => sampleEvent(flag, { account_id, domains: [] }, new Date(0));

  it.each(WEBHOOK_DIALECT_NAMES)('have a row in the table of %s, whatever it says', (name) => {
    expect(Object.keys(dialectOf(name).events)).toEqual(EVENT_TYPES);
  });

  it.each(EVENT_FLAGS)('%s is read by the tables as it is written', (flag) => {
    const { data } = sample(flag);
    const known = WEBHOOK_DIALECT_NAMES.some((name) =>
      hasCounterpart(name, { type: WEBHOOK_EVENTS[flag].type, data }),
    );
    expect(known).toBe(flag !== 'on_dns_error');
  });

  it('are those with a counterpart', () => {
    expect(calledFor(sample('on_bounced'))).toEqual(['ours', 'theirs']);
    expect(calledFor(sample('on_dns_error'))).toEqual(['ours']);
  });

  it('do not have the reception of inbound mail, which is no send', () => {
    const { isInbound, ...sent } = sample('on_reception');
    expect(isInbound).toBe(true);
    const ofResend = listener({ events: ['on_reception'], dialect: 'resend' });
    expect(planCalls({ event: { ...sent, isInbound: true }, trace: null }, [ofResend])).toEqual([]);
    expect(planCalls({ event: sent, trace: null }, [ofResend])).toHaveLength(1);
  });
});

describe('the calls requested with a batch', () => {
  const standing = (account_id: string, wanting: number, behind = false): [string, Standing] => [
    account_id,
    {
      ...perEvent(() => 0),
      on_delivered: wanting,
      account_id,
      behind,
    },
  ];
  const delivered = (accountId: string, count: number): [string, { event: PublicEvent; trace: null }[]] => [
    accountId,
    Array.from({ length: count }, () => ({
      event: { flag: 'on_delivered', accountId, domain: 'shop.test', happenedAt: '', data: {} },
      trace: null,
    })),
  ];
  const { perAccount, perBatch } = AT_ONCE;

  it('are limited per account, and events after waiting ones wait', () => {
    const standings = new Map([
      standing('fits', perAccount / 10),
      standing('too-many', perAccount),
      standing('behind', 1, true),
    ]);
    const tracedEvents = new Map([delivered('fits', 10), delivered('too-many', 2), delivered('behind', 1)]);
    expect(divide(tracedEvents, standings)).toEqual({ now: ['fits'], later: ['behind', 'too-many'] });
  });

  it('are limited per batch, accounts with few calls first', () => {
    const accounts = Array.from({ length: 10 }, (_, nth) => `a${nth}`);
    const standings = new Map(accounts.map((account) => standing(account, 1)));
    const tracedEvents = new Map(accounts.map((account, nth) => delivered(account, perBatch / 5 - nth)));
    const { now, later } = divide(tracedEvents, standings);
    expect(now).toEqual(['a9', 'a8', 'a7', 'a6', 'a5']);
    expect(later).toHaveLength(5);
  });
});
