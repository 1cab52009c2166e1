import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageAccepted } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { recordEvents, type RecordedEvents } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import {
  PERMANENT,
  startSuppressions,
  type SuppressionsUnderTest,
} from '../testing/suppressions-under-test.js';

// proven again: requests that are written as one group, and their events
const database = testDatabase();
let under: SuppressionsUnderTest;
let accepted: RecordedEvents<EventOf<typeof MessageAccepted>>;

beforeAll(async () => {
  under = await startSuppressions(database.url);
  accepted = await recordEvents(under.bus, {
    streams: ['messages'],
    pick: (event) => MessageAccepted.parse(event as never),
  });
});
afterAll(() => under?.stop());

const MESSAGE = {
  from: { email: 'shop@shop.test' },
  to: [{ email: 'ann@mail.test' }, { email: 'bob@mail.test' }],
  subject: 'Hello',
  text_content: 'Good day',
};
const send = (account_id: string, more: object = {}) =>
  under.call('POST', `/v2/accounts/${account_id}/messages/conversation`, {
    account_id,
    body: { ...MESSAGE, ...more },
  });
const suppress = (account: string, email: string, domain = 'shop.test') =>
  under.suppressions(account, 'POST', '', { body: { email, domain, expires_at: PERMANENT } });
const stored = (account: string) =>
  under.sql<{ id: string; recipient: string; status: string }>(
    'select id, recipient, status from messages where account_id = $1 order by id',
    [account],
  );
const eventOf = (account: string) =>
  accepted.until(() => accepted.events.find(({ account_id }) => account_id === account));

describe('§14.3 rule 1: a message to a suppressed recipient', () => {
  it('ends as Suppressed when it is accepted; the others are sent', async () => {
    const account = under.account('shop.test', 'b.test');
    await suppress(account, 'Ann@mail.test');
    await suppress(account, 'bob@mail.test', 'b.test');
    const { status, body } = await send(account);
    expect([status, body.data.map((one: { status: string }) => one.status)]).toEqual([
      202,
      ['queued', 'queued'],
    ]);
    const rows = await stored(account);
    expect(rows.map(({ recipient, status: now }) => [recipient, now])).toEqual([
      ['ann@mail.test', 'Suppressed'],
      ['bob@mail.test', 'Received'],
    ]);
    const { data } = await eventOf(account);
    expect(data.recipients).toEqual([
      { id: rows[0]?.id, email: 'ann@mail.test', suppressed: true },
      { id: rows[1]?.id, email: 'bob@mail.test' },
    ]);
    const shown = await under.call('GET', `/v2/accounts/${account}/messages/${rows[0]?.id}`, {
      account_id: account,
    });
    expect(shown.body).toMatchObject({
      status: 'Suppressed',
      num_attempts: 0,
      sent_at: null,
      bounce_classification: '',
      delivery_attempts: [
        {
          time: shown.body.created_at,
          log: 'the recipient is suppressed for the sending domain',
          status: 'Suppression',
        },
      ],
    });
  });

  it('ends at once also when it is scheduled, and is shown as scheduled in the response', async () => {
    const account = under.account('shop.test');
    await suppress(account, 'ann@mail.test');
    const schedule = { first_attempt: new Date(Date.now() + 3_600_000).toISOString() };
    const { body } = await send(account, { to: [{ email: 'ann@mail.test' }], schedule });
    expect(body.data[0].status).toBe('scheduled');
    expect((await stored(account))[0]?.status).toBe('Suppressed');
    expect((await eventOf(account)).data.recipients).toEqual([expect.objectContaining({ suppressed: true })]);
  });

  it('counts as accepted', async () => {
    const account = under.account('shop.test');
    await suppress(account, 'ann@mail.test');
    await send(account);
    const rows = await under.sql(
      'select sum(accepted)::int as accepted from usage where account_id = $1 and not whole_family',
      [account],
    );
    expect(rows).toEqual([{ accepted: 2 }]);
  });

  it('of many requests of one group are distinguished', async () => {
    const account = under.account('shop.test');
    await suppress(account, 'r3@mail.test');
    await suppress(account, 'r17@mail.test');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send(account, { to: [{ email: `r${n}@mail.test` }, { email: 'r3@mail.test' }] }),
      ),
    );
    const rows = await stored(account);
    const ended = rows.filter(({ status }) => status === 'Suppressed').map(({ recipient }) => recipient);
    expect(rows).toHaveLength(39);
    expect(ended.toSorted()).toEqual(['r17@mail.test', ...Array<string>(20).fill('r3@mail.test')]);
  });
});
