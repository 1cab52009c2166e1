import { describe, expect, it } from 'vitest';
import { MESSAGE_STATUSES } from '../message-status/message-status.rules.js';
import { trackedFacts } from '../statistics/statistics-facts.rules.js';
import {
  foldFetches,
  statusAfterFetch,
  changeByFetch,
  type DecidedFetch,
  type TrackedMessage,
} from './tracked-messages.rules.js';

const MESSAGE: TrackedMessage = {
  id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  sendRequestId: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
  campaignId: null,
  templateId: null,
  accountId: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  recipient: 'ann@mail.test',
  status: 'Delivered',
  openCount: 0,
  clickCount: 0,
  domain: 'shop.test',
  sender: 'news@shop.test',
  senderName: null,
  subject: 'Your order',
  messageIdHeader: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00@shop.test>',
  tags: ['b', 'a'],
  sandbox: false,
  deliveredAt: new Date('2026-01-05T08:00:02.000Z'),
};
const at = (seconds: number) => new Date(Date.parse('2026-01-05T08:30:00.000Z') + seconds * 1_000);
const fetch = (kind: 'open' | 'click', seconds: number, more: Partial<DecidedFetch> = {}): DecidedFetch => ({
  id: `id-${kind}-${seconds}`,
  messageId: MESSAGE.id,
  kind,
  at: at(seconds),
  ip: '198.51.100.7',
  userAgent: 'Mozilla/5.0',
  botReason: null,
  ...(kind === 'click' ? { url: 'https://shop.test/o/17' } : {}),
  ...more,
});
const fold = (message: TrackedMessage, ...fetches: DecidedFetch[]) =>
  foldFetches(new Map([[message.id, message]]), fetches);

describe('spec 2-messages §7 the status after a fetch', () => {
  it.each(MESSAGE_STATUSES)('of a message that is %s', (status) => {
    const after = { open: statusAfterFetch(status, 'open'), click: statusAfterFetch(status, 'click') };
    const expected =
      status === 'Delivered'
        ? { open: 'Opened', click: 'Clicked' }
        : status === 'Opened'
          ? { open: 'Opened', click: 'Clicked' }
          : { open: status, click: status };
    expect(after).toEqual(expected);
  });
});

describe('spec 2-messages §11 rule 8 effects of fetches on a message', () => {
  it('people’s are counted, machines’ are not', () => {
    const bot = { botReason: 'prefetch' as const };
    const [change] = fold(
      MESSAGE,
      fetch('open', 1),
      fetch('open', 2, bot),
      fetch('open', 3),
      fetch('click', 4),
    );
    expect(change).toMatchObject({ opens: 2, clicks: 1, status: 'Clicked', lastAt: at(4) });
    expect(fold(MESSAGE, fetch('open', 1, bot), fetch('click', 2, bot))).toEqual([]);
  });

  it('an open after a click leaves Clicked, in any order', () => {
    expect(fold(MESSAGE, fetch('click', 1), fetch('open', 2))[0]).toMatchObject({ status: 'Clicked' });
    expect(fold({ ...MESSAGE, status: 'Clicked', clickCount: 1 }, fetch('open', 2))[0]).toMatchObject({
      status: 'Clicked',
      opens: 1,
    });
  });

  it('after a bounce it counts and the status stays', () => {
    expect(fold({ ...MESSAGE, status: 'Bounced' }, fetch('open', 1))[0]).toMatchObject({
      status: 'Bounced',
      opens: 1,
    });
  });

  it('fetches of a purged record are not counted', () => {
    expect(foldFetches(new Map(), [fetch('open', 1)])).toEqual([]);
  });
});

describe('spec 1-platform §15 rule 3 statistics count a message once', () => {
  const facts = (message: TrackedMessage, ...fetches: DecidedFetch[]) =>
    trackedFacts(fold(message, ...fetches)).map(({ figure, at: when, count, tags, recipientDomain }) => ({
      figure,
      at: when,
      count,
      tags,
      recipientDomain,
    }));
  const shared = { count: 1, tags: ['a', 'b'], recipientDomain: 'mail.test' };

  it('as opened and as clicked, at the first of a person', () => {
    expect(facts(MESSAGE, fetch('open', 1), fetch('open', 2), fetch('click', 3), fetch('click', 4))).toEqual([
      { figure: 'opened', at: at(1), ...shared },
      { figure: 'clicked', at: at(3), ...shared },
    ]);
  });

  it('not again later', () => {
    const before = { ...MESSAGE, openCount: 1, clickCount: 1 };
    expect(facts(before, fetch('open', 1), fetch('click', 2))).toEqual([]);
  });

  it('never of the sandbox', () => {
    expect(facts({ ...MESSAGE, sandbox: true, status: 'Sandbox Delivered' }, fetch('open', 1))).toEqual([]);
  });
});

it('spec 2-messages §11 rule 6 the event has all facts of the fetch, and its id', () => {
  const event = changeByFetch(MESSAGE, fetch('click', 1, { botReason: 'several-links' }));
  expect(event).toMatchObject({
    id: 'id-click-1',
    type: 'message-changed',
    account_id: MESSAGE.accountId,
    data: {
      change: 'clicked',
      changed_at: '2026-01-05T08:30:01.000Z',
      fetch: {
        url: 'https://shop.test/o/17',
        ip: '198.51.100.7',
        user_agent: 'Mozilla/5.0',
        is_bot: true,
      },
      message_id_header: MESSAGE.messageIdHeader,
    },
  });
  expect(changeByFetch(MESSAGE, fetch('open', 1)).data.fetch).not.toHaveProperty('url');
});
