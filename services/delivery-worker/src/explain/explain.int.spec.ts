import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { ShapingChanges } from '../shaping/shaping-changes.js';
import { sharedWorld } from '../testing/fresh-world.js';
import { ACCOUNT } from '../testing/worker-under-test.js';

const shared = sharedWorld();
const explain = async (name: string, query = '') =>
  shared.worker.internal('GET', `/operator/explanations/${name}${query}`);
const OTHER = newId();

/** Rows that stay as they are. */
const fill = (groupKey: string, accountId: string, { count, later = 0 }: { count: number; later?: number }) =>
  shared.worker.database.query(
    `insert into deliveries (id, account_id, send_request_id, recipient, destination, group_key, lane, state, due_at,
       ends_at, reason, facts)
     select gen_random_uuid(), $1, gen_random_uuid(), 'ann@mail.test', 'mail.test', $2, 0,
       case when nth <= $3 then 'ready' else 'waiting' end,
       now() + case when nth <= $3 then interval '-1 minute' else interval '2 hours' end,
       now() + interval '1 day', '', '{}'
     from generate_series(1, $3::int + $4::int) as nth`,
    [accountId, groupKey, count, later],
  );
const state = (groupKey: string, columns: object) => {
  const row = {
    ...{ group_key: groupKey, source: '', version: 1, connections: 5, window_from: new Date() },
    ...{ changed_at: new Date(), ...columns },
  };
  const names = Object.keys(row);
  const places = names.map((_, nth) => `$${nth + 1}`);
  return shared.worker.database.query(
    `insert into shaping_state (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
};
const read = () => shared.worker.service.get(ShapingChanges).refreshAll();

beforeAll(async () => {
  // the rows stay unclaimed
  await shared.worker.service.get(DeliveryQueue).queue.stop();
});

describe('an explanation', () => {
  it('of a provider that nothing slowed down names the row, with its source, and what raises it', async () => {
    const { status, body } = await explain('yahoo');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      of: 'yahoo',
      groups: [{ group: 'p:yahoo', due: 0, later: 0, accounts: 0 }],
    });
    const [group] = body.groups;
    expect(group.sources).toEqual([
      {
        ...{ source: null, ceiling: 'connections', connections: expect.any(Number) },
        per_second: expect.any(Number),
        set_by: expect.stringMatching(
          /^\d+ connections by the row 'yahoo' \(.*, \d{4}-\d\d-\d\d\), with 0\.5 s/,
        ),
        ...{ reply: null, reply_at: null },
        raised_by: expect.stringMatching(/one connection; a further source has connections of its own$/),
      },
    ]);
    expect(Date.parse(group.empties_at)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('of a slow-down names the reply with its date, the queue and its end, and the share of an account', async () => {
    const cause = {
      code: 421,
      enhanced: '4.7.28',
      text: 'slow',
      at: Date.UTC(2026, 0, 5),
      did: 'slowed down',
    };
    await state('p:google', { rate: 0.5, cause, held_until: new Date(Date.now() + 86_400_000) });
    await read();
    await fill('p:google', ACCOUNT, { count: 30, later: 4 });
    await fill('p:google', OTHER, { count: 10 });
    const { body } = await explain('google', `?account_id=${OTHER}`);
    const [group] = body.groups;
    expect(group).toMatchObject({ due: 40, in_flight: 0, later: 4, accounts: 2, per_second_allowed: 0.5 });
    expect(group.sources[0]).toMatchObject({
      ceiling: 'pace',
      set_by: 'Google takes 0.5 messages a second from us (421 4.7.28), since 2026-01-05',
      reply: '421 4.7.28 slow',
      raised_by: expect.stringMatching(/^nothing before \d{4}-.* UTC; then each half minute/),
    });
    expect(group.account).toMatchObject({ id: OTHER, due: 10, share: 0.5, per_second: 0.25 });
    // ten of each account, then the rest, then what waits for its time
    const [own, all] = [group.account.empties_at, group.empties_at].map((at) => Date.parse(at));
    expect(Math.round((own! - Date.now()) / 10_000)).toBe(4);
    expect(all).toBeGreaterThan(Date.now() + 3_600_000);
  });

  it('of a suspension says its end, and how an operator ends it sooner', async () => {
    const until = new Date(Date.now() + 1_800_000);
    const cause = {
      code: 421,
      enhanced: '4.7.0',
      text: 'wait',
      host: 'mx.apple.test',
      at: Date.now(),
      did: 'suspended',
    };
    await state('p:apple', { connections: 1, suspended_until: until, cause: { ...cause, alert: true } });
    await read();
    await fill('p:apple', ACCOUNT, { count: 1 });
    const [group] = (await explain('apple')).body.groups;
    expect(group.sources[0]).toMatchObject({
      ceiling: 'suspension',
      per_second: 0,
      set_by: expect.stringMatching(/^Apple slowed down us .*: nothing before \d\d:\d\d UTC$/),
      raised_by: expect.stringMatching(/^what the reply asks for.*npx postmesh queue resume p:apple/),
    });
    expect(Date.parse(group.empties_at)).toBeGreaterThan(until.getTime());
  });

  it('of a domain is that of its mail hosts; of a name without mail hosts there is none', async () => {
    const { body } = await explain('Mail.test');
    expect(body).toMatchObject({
      of: 'mail.test',
      groups: [{ group: expect.stringMatching(/^m:/), provider: null }],
    });
    expect((await explain('-.test')).body).toMatchObject({ groups: [], notice: expect.any(String) });
    expect((await explain('no-provider')).status).toBe(404);
    expect((await explain('mimecast')).body).toEqual({
      of: 'mimecast',
      groups: [],
      notice: expect.any(String),
    });
  });

  it('of a new address names its budget with what is left of the hour, and the relays that take the rest', async () => {
    const put = (path: string, given: object) =>
      shared.worker.internal('PUT', `/operator/egress/${path}`, given);
    await put('sources/new', { address: '127.0.0.9', ehlo: 'new.service.test', warm_up: true });
    await fill('p:comcast', ACCOUNT, { count: 40 });
    const [alone] = (await explain('comcast')).body.groups;
    expect(alone.sources).toMatchObject([
      {
        ...{ source: 'new', ceiling: 'budget' },
        set_by:
          'the warm-up budget of a new address with Comcast: 100 a day and 13 an hour at stage 1, 13 left in this hour',
        raised_by: expect.stringContaining('a relay in its pool'),
      },
    ]);
    // 40 single messages in hours of 13 each
    expect(Date.parse(alone.empties_at) - Date.now()).toBeGreaterThan(2 * 3_600_000);
    expect(await shared.worker.database.query('select from egress_budgets')).toEqual([]);
    const access = { host: 'relay.test', tls: 'required' };
    await put('relays/ses', access);
    const [spilled] = (await explain('comcast')).body.groups;
    expect(spilled.sources).toMatchObject([
      { source: 'new', ceiling: 'budget' },
      { source: 'relays of default', ceiling: 'setting' },
    ]);
    expect(Date.parse(spilled.empties_at) - Date.now()).toBeLessThan(60_000);
  });
});
