import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { mailableMembers } from './mailable-members.sql.js';

const database = testDatabase();
const account = newId();
let marketing: TestService;
let source: DataSource;
beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, {
    databaseUrl: database.url,
    settings: { databasePoolSize: 8 },
  });
  source = marketing.service.get(DataSource);
});
afterAll(() => marketing?.stop());

const query = (sql: string, parameters: unknown[] = []) =>
  source.query(sql, parameters) as Promise<Record<string, unknown>[]>;

async function someLists(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await query(
    `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
     select id, $2, now(), now(), 'List', '', '{}' from unnest($1::uuid[]) as given(id)`,
    [ids, account],
  );
  return ids;
}

async function someContacts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await query(
    `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
       status_reason, unsubscribed, attributes)
     select id, $2, now(), now(), id || '@example.com', '', '', 'enabled', '', false, '{}'
       from unnest($1::uuid[]) as given(id)`,
    [ids, account],
  );
  return ids;
}

const add = (db: Pick<EntityManager, 'query'>, lists: string[], contacts: string[], status = 'confirmed') =>
  db.query(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
     select list_id, contact_id, $3, $4, now(), now()
       from unnest($1::uuid[]) as l(list_id) cross join unnest($2::uuid[]) as c(contact_id)
     on conflict do nothing`,
    [lists, contacts, account, status],
  );

/** The count of the API: the folded number and the deltas that are not folded yet. */
const counted = async (list: string): Promise<number> => {
  const [row] = await query(
    `select contact_count + (select coalesce(sum(delta), 0) from list_count_deltas where list_id = $1) as count
       from lists where id = $1`,
    [list],
  );
  return Number(row?.['count']);
};
const members = async (list: string): Promise<number> => {
  const [row] = await query(`select count(*) from (${mailableMembers('$1')}) as members`, [[list]]);
  return Number(row?.['count']);
};

describe('spec 3-marketing §2.1 contact_count', () => {
  it('spec 3-marketing §1.4 rule 1, §1.4 rule 3: follows each change of a membership and of a contact, in the transaction of the change', async () => {
    const [list = ''] = await someLists(1);
    const [one = '', two = '', three = ''] = await someContacts(3);
    await add(source, [list], [one, two]);
    await add(source, [list], [three], 'unconfirmed');
    expect(await counted(list)).toBe(2);
    const steps: [string, unknown[], number][] = [
      [`update memberships set subscription_status = 'confirmed' where contact_id = $1`, [three], 3],
      [`update memberships set subscription_status = 'unsubscribed' where contact_id = $1`, [three], 2],
      [`update contacts set status = 'disabled' where id = $1`, [one], 1],
      [`update contacts set status = 'blocked' where id = $1`, [one], 1],
      [`update contacts set unsubscribed = true, unsubscribed_at = now() where id = $1`, [two], 0],
      [`update memberships set subscription_status = 'complained' where contact_id = $1`, [two], 0],
      [`update contacts set status = 'enabled' where id = $1`, [one], 1],
      [`update contacts set validation_status = 'invalid' where id = any($1)`, [[one, three]], 0],
      [`update contacts set validation_status = 'risky' where id = any($1)`, [[one, three]], 1],
      [`update contacts set validation_status = 'unknown' where id = any($1)`, [[one, three]], 1],
      [`update contacts set validation_status = 'valid' where id = any($1)`, [[one, three]], 1],
      [`delete from memberships where contact_id = any($1)`, [[one, two]], 0],
    ];
    for (const [sql, parameters, count] of steps) {
      await query(sql, parameters);
      expect([sql, await counted(list)]).toEqual([sql, count]);
      expect(await members(list)).toBe(count);
    }
    await expect(
      source.transaction(async (tx) => {
        await add(tx, [list], [one]);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await counted(list)).toBe(0);
  });

  it('a change without effect on the count writes no delta', async () => {
    const [list = ''] = await someLists(1);
    const contacts = await someContacts(3);
    await add(source, [list], contacts);
    await query(`delete from list_count_deltas`);
    await query(`update contacts set first_name = 'A' where id = any($1)`, [contacts]);
    await query(`update memberships set updated_at = now() where list_id = $1`, [list]);
    await add(source, [list], contacts);
    expect(await query('select from list_count_deltas')).toEqual([]);
  });

  it('is one delta per list and statement, for any number of contacts', async () => {
    const lists = await someLists(3);
    const contacts = await someContacts(1_000);
    // read before the commit, since visible deltas are folded at any time
    const deltas = await source.transaction(async (tx) => {
      await add(tx, lists, contacts);
      await tx.query(`update contacts set status = 'disabled' where id = any($1)`, [contacts]);
      return tx.query('select delta from list_count_deltas where list_id = any($1) order by delta', [lists]);
    });
    expect(deltas).toEqual([-1000, -1000, -1000, 1000, 1000, 1000].map((delta) => ({ delta })));
  });

  it('is exact with concurrent writes of memberships and contacts', async () => {
    const lists = await someLists(3);
    const contacts = await someContacts(12);
    const pick = <T>(from: readonly T[], count: number): T[] =>
      [...from].sort(() => Math.random() - 0.5).slice(0, count);
    // each transaction locks the contacts first, in the order of their ids
    const held = (ids: string[], how: 'share' | 'update', step: (tx: EntityManager) => Promise<unknown>) =>
      source.transaction(async (tx) => {
        await tx.query(`select from contacts where id = any($1) order by id for ${how}`, [ids]);
        await step(tx);
        if (Math.random() < 0.1) await tx.query('select pg_sleep(0.002)');
      });
    const moves: (() => Promise<unknown>)[] = [
      () => {
        const ids = pick(contacts, 4);
        return held(ids, 'share', (tx) => add(tx, pick(lists, 2).sort(), ids.sort()));
      },
      () => {
        const ids = pick(contacts, 2);
        const [status] = pick(['confirmed', 'unconfirmed', 'unsubscribed'], 1);
        return held(ids, 'update', (tx) =>
          tx.query(`update memberships set subscription_status = $2 where contact_id = any($1)`, [
            ids,
            status,
          ]),
        );
      },
      () => {
        const ids = pick(contacts, 3);
        return held(ids, 'update', (tx) =>
          tx.query(
            `update contacts set status = case when status = 'enabled' then 'disabled' else 'enabled' end
              where id = any($1)`,
            [ids],
          ),
        );
      },
      () => {
        const ids = pick(contacts, 1);
        return held(ids, 'update', (tx) =>
          tx.query(`delete from memberships where contact_id = any($1)`, [ids]),
        );
      },
    ];
    const writer = async () => {
      for (let round = 0; round < 60; round += 1) await pick(moves, 1)[0]?.();
    };
    await Promise.all(Array.from({ length: 6 }, writer));
    for (const list of lists) expect(await counted(list)).toBe(await members(list));
    expect(await query('select count(*)::int > 0 as moved from list_count_deltas')).toEqual([
      { moved: true },
    ]);
  });

  it('is exact with single statements that change a contact and add it concurrently, without explicit locks', async () => {
    for (let round = 0; round < 40; round += 1) {
      const [list = ''] = await someLists(1);
      const [contact = ''] = await someContacts(1);
      await Promise.all([
        add(source, [list], [contact]),
        query(`update contacts set status = 'disabled' where id = $1`, [contact]),
        query(`update memberships set subscription_status = 'unconfirmed' where contact_id = $1`, [contact]),
        query(`update contacts set status = 'enabled', first_name = 'A' where id = $1`, [contact]),
      ]);
      expect(await counted(list)).toBe(await members(list));
    }
  });
});
