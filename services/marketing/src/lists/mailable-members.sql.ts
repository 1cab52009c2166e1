/**
 * The recipients of a campaign to these lists, before suppressions (spec 3-marketing §2.1, §7.1 rule 2): a row per
 * contact **and** list, so a contact on two of them has two rows.
 *
 * Columns: `list_position` (1 for the first list), `list_id`, `contact_id`, `email`, `member_since` (the membership's
 * `created_at`; the order of sending is list_position, member_since, contact_id). Deleted lists have no rows.
 *
 * ```ts
 * tx.query(`select count(distinct contact_id) from (${mailableMembers('$1')}) as members`, [listIds]);
 * ```
 *
 * @param listIds an expression of SQL that is an array of list ids in the campaign's order
 */
export const mailableMembers = (listIds: string): string => `
  select named.list_position, named.list_id, memberships.contact_id, contacts.email,
         memberships.created_at as member_since
    from unnest(${listIds}::uuid[]) with ordinality as named(list_id, list_position)
    join lists on lists.id = named.list_id and lists.deleted_at is null
    join memberships on memberships.list_id = named.list_id and memberships.subscription_status = 'confirmed'
    join contacts on contacts.id = memberships.contact_id and contacts.mailable`;
