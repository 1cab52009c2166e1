import type { EntityManager } from 'typeorm';

/** How often a contact wants mail of campaigns (decision 178). */
export const FREQUENCIES = ['every', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** The frequency of a row of contact_frequencies, which is missing for `every`. */
export const frequencySql = (alias: string): string => `coalesce(${alias}.frequency, 'every')`;

/**
 * In the transaction that holds the contact. It waits for workers that are handing over mail to the contact, so that this mail
 * counts from the choice on.
 */
export async function chooseFrequency(
  tx: EntityManager,
  { accountId, contactId }: { accountId: string; contactId: string },
  frequency: Frequency,
): Promise<void> {
  await tx.query(
    `select from campaign_recipients where contact_id = $1 and sent_at is null
     order by campaign_id, position for no key update`,
    [contactId],
  );
  if (frequency === 'every') {
    await tx.query('delete from contact_frequencies where contact_id = $1', [contactId]);
    return;
  }
  await tx.query(
    `insert into contact_frequencies as f (contact_id, account_id, frequency, chosen_at) values ($1, $2, $3, now())
     on conflict (contact_id) do update set frequency = excluded.frequency, chosen_at = excluded.chosen_at
     where f.frequency <> excluded.frequency`,
    [contactId, accountId, frequency],
  );
}

/**
 * Those of the contacts whose last mail of a campaign is too recent for their choice. It holds the choices until the
 * transaction ends, so that of two campaigns at once the second sees what the first has taken; it comes after the locks of
 * recipients, and before any of them is taken.
 */
export async function mailedTooRecently(
  tx: EntityManager,
  campaignId: string,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const held: { id: string }[] = await tx.query(HOLD, [contactIds]);
  if (held.length === 0) return new Set();
  // a statement of its own: its snapshot begins when the choices are held
  const recent: { id: string }[] = await tx.query(RECENT, [held.map(({ id }) => id), campaignId]);
  return new Set(recent.map(({ id }) => id));
}

const HOLD = `select contact_id as id from contact_frequencies where contact_id = any($1::uuid[])
  order by contact_id for update`;

const UTC_DAY = (time: string): string => `(${time} at time zone 'UTC')::date`;

// By UTC days, so that a newsletter that goes out a few minutes earlier than a week ago is not too early. Mail that was
// taken and is not recorded yet counts as mail of now; mail that did not become a message, or bounced, did not come.
const RECENT = `
  select f.contact_id as id from contact_frequencies f
  where f.contact_id = any($1::uuid[]) and exists (
    select from campaign_recipients r
    where r.contact_id = f.contact_id and r.campaign_id <> $2 and r.message_id is not null
      and r.status in ('queued', 'deferred', 'delivered')
      and (r.sent_at is null or ${UTC_DAY('now()')} < ${UTC_DAY('r.sent_at')}
        + case f.frequency when 'weekly' then interval '7 days' else interval '1 month' end))`;
