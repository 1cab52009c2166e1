import { describe, expect, it } from 'vitest';
import { EVENT_FLAGS } from '../webhook-events/webhook-events.table.js';
import { wants, type Listener } from './matching.rules.js';

function listener(more: Partial<Listener>): Listener {
  const none = Object.fromEntries(EVENT_FLAGS.map((flag) => [flag, false])) as Pick<
    Listener,
    (typeof EVENT_FLAGS)[number]
  >;
  return {
    id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
    account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    updated_at: new Date(0),
    url: 'https://shop.test/hooks',
    scope: 'global',
    domains: [],
    ...none,
    ...more,
  };
}

const SCOPED = { scope: 'scoped' as const, domains: ['shop.test', 'b.test'], on_bounced: true };

describe('a webhook gets an event', () => {
  it.each([
    ['global with the flag', { on_bounced: true }, 'any.test', true],
    ['global without the flag', { on_delivered: true }, 'any.test', false],
    ['scoped to the domain', SCOPED, 'shop.test', true],
    ['scoped to another domain', SCOPED, 'c.test', false],
    ['scoped to the parent domain', SCOPED, 'mail.shop.test', false],
    ['scoped to nothing any more', { ...SCOPED, domains: [] }, 'shop.test', false],
  ])('%s', (_, more, domain, wanted) => expect(wants(listener(more), 'on_bounced', domain)).toBe(wanted));

  it.each(EVENT_FLAGS)('by its own flag %s only', (flag) => {
    const subscribed = listener({ [flag]: true });
    expect(EVENT_FLAGS.filter((asked) => wants(subscribed, asked, 'shop.test'))).toEqual([flag]);
  });
});
