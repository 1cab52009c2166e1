import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `contact_count` is counted by statement triggers, in the transaction of the change: each statement adds one
 * delta per list, so no transaction waits for the count of another one (ADR 53).
 *
 * It is exact with concurrent writers. The trigger of memberships locks each contact `for share` before it reads
 * whether it is mailable: a change of the contact is either committed and seen here, or waits and then sees the
 * membership. This requires that the statements of one transaction see other commits (read committed).
 * The functions set their schema, so that an operator's statement by hand is counted, too.
 */
export class CountListMembers1764100001140 implements MigrationInterface {
  name = 'CountListMembers1764100001140';

  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      ...countsOn('insert', 'referencing new table as after', [gained]),
      ...countsOn('delete', 'referencing old table as before', [lost]),
      ...countsOn('update', 'referencing old table as before new table as after', [lost, gained]),
      ...countsOfContacts,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const gained = `select list_id, contact_id, 1 as change from after where subscription_status = 'confirmed'`;
const lost = `select list_id, contact_id, -1 as change from before where subscription_status = 'confirmed'`;

// Only memberships that become confirmed, or no longer are, read their contacts.
function countsOn(event: string, tables: string, sides: readonly string[]): string[] {
  return [
    `create function count_members_on_${event}() returns trigger language plpgsql set search_path from current as $$
    begin
      with changed as materialized (
        select list_id, contact_id, sum(change) as change from (${sides.join(' union all ')}) as sides
         group by list_id, contact_id having sum(change) <> 0
      ), mailable as materialized (
        select id, mailable from contacts where id in (select contact_id from changed) order by id for share
      )
      insert into list_count_deltas (list_id, delta)
      select list_id, sum(change) from changed join mailable on id = contact_id and mailable group by list_id;
      return null;
    end $$`,
    `create trigger count_members_on_${event} after ${event} on memberships ${tables}
      for each statement execute function count_members_on_${event}()`,
  ];
}

const countsOfContacts = [
  `create function count_members_of_contacts() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into list_count_deltas (list_id, delta)
    select list_id, sum(case when after.mailable then 1 else -1 end)
      from before join after using (id)
      join memberships on contact_id = id and subscription_status = 'confirmed'
     where before.mailable <> after.mailable
     group by list_id
    having sum(case when after.mailable then 1 else -1 end) <> 0;
    return null;
  end $$`,
  `create trigger count_members_of_contacts after update on contacts
    referencing old table as before new table as after
    for each statement execute function count_members_of_contacts()`,
];
