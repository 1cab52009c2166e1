import { describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: bounces before and after a lift, counted by several processes
const domains = domainsUnderTest();
const pausedOf = async (domain: string, account_id?: string) => {
  const { body } = await domains.get(domain, account_id === undefined ? {} : { account_id });
  return [body.paused, body.pause_reason];
};
const YES = [true, 'bounce_rate'];
const NO = [false, null];
const own = () => domains.service.accountId;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('§11.8 rule 1: too many bounces', () => {
  it('pause the domain, no other of the account and no other account’s', async () => {
    const other = domains.account();
    await domains.create({ domain: 'much.test' });
    await domains.create({ domain: 'few.test' });
    await domains.create({ domain: 'much.test' }, { account_id: other });
    domains.count(own(), 'much.test', [800, 120], daysAgo(29));
    domains.count(own(), 'few.test', [5, 99]);
    domains.count(other, 'much.test', [9_000, 900]);
    domains.count(own(), 'gone.test', [0, 500]);
    await domains.judge();
    await domains.judge();
    expect(await pausedOf('much.test')).toEqual(YES);
    expect(await pausedOf('few.test')).toEqual(NO);
    expect(await pausedOf('much.test', other)).toEqual(NO);
    const told = await domains.events('much.test', 3);
    expect(told.map(({ data }) => [data.account_id, data.paused])).toContainEqual([own(), true]);
    expect(told).toHaveLength(3);
    expect((await domains.report('much.test')).body.data[0]).toMatchObject({
      account_id: own(),
      paused: true,
      pauses: [
        {
          paused_at: expect.any(String),
          reason: 'bounce_rate',
          paused_by: 'automatic',
          note: null,
          delivered: 800,
          bounced: 120,
          lifted_at: null,
          lifted_by: null,
        },
      ],
    });
  });

  it('older than 30 days do not count', async () => {
    await domains.create({ domain: 'old.test' });
    domains.count(own(), 'old.test', [0, 500], daysAgo(31));
    await domains.judge();
    expect(await pausedOf('old.test')).toEqual(NO);
  });

  it('are judged by several processes at once, and pause once', async () => {
    await domains.create({ domain: 'twice.test' });
    domains.count(own(), 'twice.test', [0, 500]);
    await Promise.all([domains.judge(), domains.judge(), domains.judge()]);
    expect(await domains.sql(`select from domain_pauses where domain = 'twice.test'`)).toHaveLength(1);
    expect(await domains.sql(`select revision from domains where domain = 'twice.test'`)).toEqual([
      { revision: '2' },
    ]);
  });
});

describe('§11.8 rule 1: of a great many', () => {
  it('a domain after a thousand others with more bounces is paused, too', async () => {
    await domains.create({ domain: 'behind.test' });
    for (let nth = 0; nth < 1_001; nth += 1) domains.count(own(), `big${nth}.test`, [99_000, 1_000]);
    domains.count(own(), 'behind.test', [0, 100]);
    await domains.judge();
    expect(await pausedOf('behind.test')).toEqual(YES);
  });
});

describe('§11.8 rule 3: a lift', () => {
  it('by the operator: bounces before it do not count again, new ones do', async () => {
    await domains.create({ domain: 'lift.test' });
    domains.count(own(), 'lift.test', [100, 200]);
    await domains.judge();
    const lifted = await domains.operate('lift.test/unpause', { operator: 'oncall' });
    expect(lifted.body.data[0]).toMatchObject({
      paused: false,
      paused_at: null,
      pause_reason: null,
      pauses: [{ lifted_at: expect.any(String), lifted_by: 'oncall' }],
    });
    await domains.judge();
    expect(await pausedOf('lift.test')).toEqual(NO);
    domains.count(own(), 'lift.test', [0, 99]);
    await domains.judge();
    expect(await pausedOf('lift.test')).toEqual(NO);
    domains.count(own(), 'lift.test', [0, 1]);
    await domains.judge();
    expect(await pausedOf('lift.test')).toEqual(YES);
    const [{ pauses }] = (await domains.report('lift.test')).body.data;
    expect(pauses.map(({ bounced }: { bounced: number }) => bounced)).toEqual([100, 200]);
  });

  it('counts for the name in the account, also when it was deleted and added again', async () => {
    await domains.create({ domain: 'anew.test' });
    domains.count(own(), 'anew.test', [0, 200]);
    await domains.judge();
    await domains.operate('anew.test/unpause');
    await domains.service.call('DELETE', domains.path('/anew.test'));
    await domains.create({ domain: 'anew.test' });
    await domains.judge();
    expect(await pausedOf('anew.test')).toEqual(NO);
    expect((await domains.report('anew.test')).body.data[0].pauses).toHaveLength(1);
  });

  it('by the parent, for a pause that an older release wrote', async () => {
    const account_id = domains.child();
    await domains.create({ domain: 'child.test' }, { account_id });
    domains.count(account_id, 'child.test', [0, 200]);
    await domains.pause('child.test', account_id);
    const path = `/v2/accounts/${own()}/sub-accounts/${account_id}/domains/child.test/unpause`;
    expect((await domains.service.call('POST', path)).status).toBe(200);
    await domains.judge();
    expect(await pausedOf('child.test', account_id)).toEqual(NO);
    expect((await domains.report('child.test')).body.data[0].pauses).toEqual([
      expect.objectContaining({
        reason: 'bounce_rate',
        paused_by: 'unknown',
        lifted_by: `parent account ${own()}`,
      }),
    ]);
  });
});

describe('§11.8: the operator', () => {
  it('pauses with a reason, and unpauses', async () => {
    await domains.create({ domain: 'stop.test' });
    const note = 'complaints of a provider';
    const paused = await domains.operate('Stop.test/pause', { body: { reason: note }, operator: 'oncall' });
    expect([paused.status, paused.body.data[0]]).toMatchObject([
      200,
      {
        paused: true,
        pause_reason: 'operator',
        pauses: [{ reason: 'operator', paused_by: 'oncall', note, delivered: null, lifted_at: null }],
      },
    ]);
    const again = await domains.operate('stop.test/pause', { body: { reason: 'x' } });
    expect(again.body).toEqual(paused.body);
    const api = (await domains.get('stop.test')).body;
    expect(JSON.stringify(api)).not.toContain(note);
    const removed = await domains.service.call('DELETE', domains.path('/stop.test'));
    expect(removed.status).toBe(403);
    expect((await domains.check('stop.test')).status).toBe(200);
    for (const _ of [1, 2]) {
      expect((await domains.operate('stop.test/unpause')).body.data[0]).toMatchObject({ paused: false });
    }
    expect((await domains.service.call('DELETE', domains.path('/stop.test'))).status).toBe(200);
  });

  it.each([
    ['missing.test/pause', { reason: 'x' }, 404, 'domain not found'],
    ['missing.test/unpause', undefined, 404, 'domain not found'],
    ['missing.test/unlock', { fields: ['dkim_selector'] }, 404, 'domain not found'],
    ['nonsense/pause', { reason: 'x' }, 400, 'invalid domain name'],
    ['missing.test/pause', {}, 400, 'reason is required'],
    ['missing.test/pause', { reason: ' ' }, 400, 'reason must not be empty'],
    ['missing.test/unlock', { fields: [] }, 400, 'fields must have at least 1 items'],
  ])('%s %j: %i %s', async (path, body, status, message) => {
    const refused = await domains.operate(path, { ...(body === undefined ? {} : { body }) });
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('sees a domain in every account that has it', async () => {
    const other = domains.account();
    await domains.valid('seen.test');
    await domains.create({ domain: 'seen.test' }, { account_id: other });
    domains.dns.set('TXT', '_dmarc.seen.test');
    await domains.recheck('seen.test');
    const { status, body } = await domains.report('SEEN.test');
    expect([status, body.domain, body.has_more, body.data.length]).toEqual([200, 'seen.test', false, 2]);
    const [first, second] = body.data;
    expect(first).toMatchObject({
      account_id: own(),
      state: 'suspect',
      dns_valid: true,
      dns_mode: 'managed',
      last_dns_check_at: expect.any(String),
      next_dns_check_at: expect.any(String),
      dkim: { selector: 'managed', waiting: null, rotation: { in_progress: false, interval_days: 90 } },
      pauses: [],
    });
    expect(first.locks.map(({ field }: { field: string }) => field)).toHaveLength(5);
    expect(second).toMatchObject({ account_id: other, state: 'pending', pauses: [] });
    const dmarc = first.dns_records.find(({ label }: { label: string }) => label === 'DMARC');
    expect(dmarc).toMatchObject({ propagated: false, judged: true });
    expect((await domains.report('nobody.test')).status).toBe(404);
  });
});
