import { describe, expect, it } from 'vitest';
import { newId, type MemberRole, type Principal } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const domains = domainsUnderTest();

const member = (role: MemberRole = 'Administrator', account = domains.service.accountId): Principal =>
  memberOf(account, role);
const hold = (action: 'pause' | 'resume', domain: string, principal = member()) =>
  domains.service.call('POST', `/console/api/domains/${domain}/${action}`, { principal });
const stateOf = async (domain: string) => {
  const { body } = await domains.get(domain);
  return [body.paused, body.pause_reason];
};

describe('the pause of a domain by its owner', () => {
  it('holds until the owner resumes it, is published, and has its author in the history', async () => {
    const { body: made } = await domains.create({ domain: 'own.test' });
    const ann = member('Developer');
    const given = await hold('pause', 'OWN.test', ann);
    expect([given.status, given.body]).toEqual([
      200,
      {
        ...made,
        updated_at: expect.any(String),
        paused: true,
        paused_at: expect.any(String),
        pause_reason: 'owner',
      },
    ]);
    expect((await hold('pause', 'own.test')).body).toEqual(given.body);
    expect((await hold('resume', 'own.test')).body).toMatchObject({ paused: false, pause_reason: null });
    expect((await hold('resume', 'own.test')).status).toBe(200);
    const events = await domains.events('own.test', 3);
    expect(events.map(({ data }) => data.paused)).toEqual([false, true, false]);
    expect((await domains.report('own.test')).body.data[0].pauses).toMatchObject([
      {
        reason: 'owner',
        paused_by: `member ${ann.member?.user_id}`,
        lifted_by: expect.stringMatching(/^member /),
      },
    ]);
  });

  it('is refused to roles without the scope, to keys, and to other accounts', async () => {
    await domains.create({ domain: 'theirs.test' });
    for (const action of ['pause', 'resume'] as const) {
      expect((await hold(action, 'theirs.test', member('Analyst'))).status).toBe(403);
      expect((await hold(action, 'theirs.test', member('Billing Manager'))).status).toBe(403);
      expect((await hold(action, 'theirs.test', member('Administrator', newId()))).status).toBe(404);
      const byKey = await domains.service.call('POST', `/console/api/domains/theirs.test/${action}`);
      expect(byKey.status).toBe(401);
    }
    expect(await stateOf('theirs.test')).toEqual([false, null]);
  });

  it('lifts no other pause, and gives way to one of an operator', async () => {
    await domains.create({ domain: 'judged.test' });
    await domains.pause('judged.test');
    const refused = await hold('resume', 'judged.test');
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('contact support')]);
    expect((await hold('pause', 'judged.test')).body).toMatchObject({ pause_reason: 'bounce_rate' });
    await domains.create({ domain: 'both.test' });
    await hold('pause', 'both.test');
    await domains.operate('both.test/pause', { body: { reason: 'spam' } });
    expect(await stateOf('both.test')).toEqual([true, 'operator']);
    expect((await hold('resume', 'both.test')).status).toBe(403);
    const [last, first] = (await domains.report('both.test')).body.data[0].pauses;
    expect([last.lifted_at, first.lifted_at]).toEqual([null, expect.any(String)]);
  });

  it('forgets no bounces: those before its end count', async () => {
    await domains.create({ domain: 'bouncy.test' });
    domains.count(domains.service.accountId, 'bouncy.test', [100, 500], new Date(Date.now() - 60_000));
    await hold('pause', 'bouncy.test');
    await hold('resume', 'bouncy.test');
    await domains.judge();
    expect(await stateOf('bouncy.test')).toEqual([true, 'bounce_rate']);
  });
});
