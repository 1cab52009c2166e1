import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startSuppressions, type SuppressionsUnderTest } from '../testing/suppressions-under-test.js';
import { PruneTroubles } from './prune-troubles.js';

const database = testDatabase();
let under: SuppressionsUnderTest;
let account: string;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());
beforeEach(() => {
  account = under.account('shop.test');
});

type Attempted = Parameters<typeof DeliveryAttempted.make>[0];

const FULL = { smtp_code: 552, enhanced_status_code: '5.2.2', kind: 'quota', classification: 'QuotaIssues' };
const GONE = { smtp_code: 550, kind: 'mailbox', classification: 'InvalidRecipient' };

/** The outcome of a stored message to Ann. */
async function ending(change: Partial<Attempted>) {
  const id = newId();
  const data = { ...DeliveryAttempted.examples[0]!, message_id: id, ...change };
  await under.sql(
    `insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     values ($1, $1, $2, $3, '', 'Received', now(), now())`,
    [id, account, data.recipient],
  );
  return DeliveryAttempted.make(data, { account_id: account });
}
const bounce = (reply: Attempted['reply'] = FULL, more: Partial<Attempted> = {}) =>
  ending({ outcome: 'bounced', reply, ...more });
const cutShort = () =>
  ending({
    outcome: 'failed',
    give_up: 'expires',
    classification: 'MessageExpired',
    reply: { ...FULL, smtp_code: 452 },
  });
const consume = async (...events: ReturnType<typeof bounce>[]) =>
  deliver(under.service, await Promise.all(events));

const DAYS = `round(extract(epoch from expires_at - created_at) / 86400)::int as days`;
const rows = () =>
  under.sql<{ email: string; reason: string; days: number; message_id: string }>(
    `select email, domain, reason, protected, source, message_id, ${DAYS} from suppressions where account_id = $1 order by email`,
    [account],
  );
const troubles = async () =>
  (await under.sql('select from recipient_troubles where account_id = $1', [account])).length;
const told = () => under.told.events.filter(({ account_id }) => account_id === account);

describe('the first bounce of a mailbox that does not exist', () => {
  it('suppresses its recipient for the sending domain, and publishes it once', async () => {
    const first = await bounce(GONE);
    await consume(Promise.resolve(first));
    // the message of a later bounce, which extends it, is not the one behind it
    const about = { protected: false, source: 'automatic', message_id: first.data.message_id };
    const row = { domain: 'shop.test', ...about };
    const expected = [{ email: 'ann@mail.test', reason: 'Too many hard bounces', days: 30, ...row }];
    expect(await rows()).toEqual(expected);
    await consume(bounce(GONE));
    expect(await rows()).toEqual(expected);
    await under.told.until(() => told().length === 2);
    expect(told().map(({ kind }) => kind)).toEqual(['created', 'extended']);
  });

  it('counts each address and domain of a batch', async () => {
    await consume(
      bounce(GONE),
      bounce(GONE, { domain: 'news.test' }),
      bounce(GONE, { recipient: 'ben@mail.test' }),
      bounce({ ...GONE, kind: 'reputation' }, { recipient: 'cat@mail.test' }),
    );
    expect((await rows()).map(({ email }) => email)).toEqual([
      'ann@mail.test',
      'ann@mail.test',
      'ben@mail.test',
    ]);
  });
});

describe('three bounces of a full mailbox', () => {
  it('suppress at the third, and the count restarts', async () => {
    const three = await Promise.all([bounce(), bounce(), bounce()]);
    const consumeNth = (nth: number) => deliver(under.service, three.slice(nth, nth + 1));
    await consumeNth(0);
    await consumeNth(1);
    expect([await rows(), await troubles()]).toEqual([[], 2]);
    await consumeNth(2);
    const [row] = await rows();
    expect(row).toMatchObject({ reason: 'Too many hard bounces', days: 30 });
    expect(three.map(({ data }) => data.message_id)).toContain(row?.message_id);
    expect(await troubles()).toBe(0);
  });

  it('suppress in one batch, but not when one of them is repeated three times', async () => {
    const one = await bounce();
    await deliver(under.service, [one, one]);
    await deliver(under.service, [one]);
    await consume(bounce());
    expect([await rows(), await troubles()]).toEqual([[], 2]);
    await consume(bounce(FULL, { recipient: 'ben@mail.test' }), bounce(FULL, { domain: 'news.test' }));
    expect([await rows(), await troubles()]).toEqual([[], 4]);
    const cat = { recipient: 'cat@mail.test' };
    await consume(bounce(FULL, cat), bounce(FULL, cat), bounce(FULL, cat));
    expect(await rows()).toMatchObject([{ email: 'cat@mail.test' }]);
  });

  it('suppress also in three concurrent transactions', async () => {
    const events = await Promise.all([bounce(), bounce(), bounce()]);
    await Promise.all(events.map((event) => deliver(under.service, [event])));
    expect(await rows()).toMatchObject([{ reason: 'Too many hard bounces', days: 30 }]);
  });

  it('do not count when the first is older than 30 days, and it is pruned', async () => {
    await consume(bounce(), bounce());
    await under.sql(`update recipient_troubles set at = at - interval '30 days' where account_id = $1`, [
      account,
    ]);
    await consume(bounce());
    expect(await rows()).toEqual([]);
    await under.service.get(PruneTroubles).prune(new AbortController().signal);
    expect(await troubles()).toBe(1);
  });
});

describe('three expiries set by the sender at a full mailbox', () => {
  it('suppress for a week, separately from bounces', async () => {
    await consume(cutShort(), cutShort(), bounce(), bounce());
    expect([await rows(), await troubles()]).toEqual([[], 4]);
    await consume(cutShort());
    expect(await rows()).toMatchObject([{ reason: 'Too many soft bounces', days: 7 }]);
    expect(await troubles()).toBe(2);
  });
});

it('a message that failed after all retries suppresses for 15 days; a longer row is kept', async () => {
  const failed = { outcome: 'failed', give_up: 'attempts', reply: { ...FULL, smtp_code: 452 } } as const;
  await consume(ending(failed), ending({ ...failed, recipient: 'ben@mail.test' }));
  expect(await rows()).toMatchObject([
    { reason: 'Too many soft bounces', days: 15 },
    { email: 'ben@mail.test' },
  ]);
  await consume(bounce(GONE));
  expect(await rows()).toMatchObject([{ reason: 'Too many soft bounces', days: 30 }, { days: 15 }]);
  await consume(ending(failed));
  expect(await rows()).toMatchObject([{ days: 30 }, { days: 15 }]);
});

it('outcomes without a changed message, and those of a deleted account, do not suppress', async () => {
  const late = await bounce(GONE);
  await under.sql(`update messages set status = 'Canceled' where id = $1`, [late.data.message_id]);
  await deliver(under.service, [late]);
  expect(await rows()).toEqual([]);
  await under.sql('insert into deleted_accounts (account_id) values ($1)', [account]);
  await consume(bounce(GONE), bounce(), bounce(), bounce());
  expect([await rows(), await troubles()]).toEqual([[], 0]);
});
