import { describe, expect, it } from 'vitest';
import { EVENT_FLAGS, perEvent } from '../webhook-events/webhook-events.table.js';
import { newId } from '@postmesh/contracts';
import type { PublicEvent } from '../webhook-events/event-payloads.rules.js';
import {
  acceptedAtOf,
  AT_ONCE,
  divide,
  LOOK_BACK_MS,
  planCalls,
  wants,
  type Listener,
  type Standing,
} from './matching.rules.js';

function listener(more: Partial<Listener>): Listener {
  return {
    id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
    account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    created_at: new Date(0),
    updated_at: new Date(0),
    url: 'https://shop.test/hooks',
    enabled: true,
    scope: 'global',
    domains: [],
    events: [],
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

describe('the time at which a message was stored', () => {
  it('is read from its id', () => {
    const at = Date.now() + 1_000_000;
    expect(acceptedAtOf(newId(at))).toEqual(new Date(at));
  });
  it('is unknown for another kind of id', () => {
    expect(acceptedAtOf('5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10')).toBeUndefined();
  });
});

describe('an outcome may have overtaken its reception', () => {
  const now = new Date('2026-01-05T08:00:00Z');
  const ago = (ms: number) => new Date(now.getTime() - ms);
  // newId is monotonic
  const idOf = (at: Date) => `${at.getTime().toString(16).padStart(12, '0')}7c11a2d40c5f9e6b8a01`;
  const bounced = (accepted: Date): PublicEvent => ({
    flag: 'on_bounced',
    accountId: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    domain: 'shop.test',
    happenedAt: now.toISOString(),
    messageId: idOf(accepted),
    data: {},
  });
  const typesFor = (event: PublicEvent, more: Partial<Listener>) => {
    const wanted = listener({ events: ['on_reception', 'on_bounced'], ...more });
    return planCalls({ event, trace: null }, [wanted], now).map(({ call }) => call.event.flag);
  };
  it.each([
    ['when the webhook is older than the message', ago(2_000), ago(1_000), true],
    ['when both are of the same millisecond', ago(1_000), ago(1_000), true],
    ['not when the webhook was made or changed after it', ago(999), ago(1_000), false],
    ['not when the message is old', ago(LOOK_BACK_MS * 2), ago(LOOK_BACK_MS), false],
  ])('%s', (_, changed, accepted, may) =>
    expect(typesFor(bounced(accepted), { updated_at: changed })).toEqual(
      may ? ['on_reception', 'on_bounced'] : ['on_bounced'],
    ),
  );
  it('not without a subscription to receptions, nor for an event without a message', () => {
    expect(typesFor(bounced(ago(1_000)), { events: ['on_bounced'] })).toEqual(['on_bounced']);
    const { messageId: _, ...about } = bounced(ago(1_000));
    expect(typesFor(about, {})).toEqual(['on_bounced']);
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
    const tellings = new Map([delivered('fits', 10), delivered('too-many', 2), delivered('behind', 1)]);
    expect(divide(tellings, standings)).toEqual({ now: ['fits'], later: ['behind', 'too-many'] });
  });

  it('are limited per batch, accounts with few calls first', () => {
    const accounts = Array.from({ length: 10 }, (_, nth) => `a${nth}`);
    const standings = new Map(accounts.map((account) => standing(account, 1)));
    const tellings = new Map(accounts.map((account, nth) => delivered(account, perBatch / 5 - nth)));
    const { now, later } = divide(tellings, standings);
    expect(now).toEqual(['a9', 'a8', 'a7', 'a6', 'a5']);
    expect(later).toHaveLength(5);
  });
});
