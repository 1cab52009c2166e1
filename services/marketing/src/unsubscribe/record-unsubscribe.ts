import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import {
  Unsubscriber,
  type CampaignUnsubscribeLink,
  type Stop,
  type Subscription,
} from '@postmesh/public-links';
import { LOGGER } from '@postmesh/service-host';
import { recordUnsubscribes } from '../contacts/contact-unsubscribes.js';
import { addCounts } from '../results/campaign-counts.js';

/** A recipient of a campaign who unsubscribes from its lists, or from every campaign of the account. */
interface Unsubscribe extends CampaignUnsubscribeLink {
  readonly wanted: Stop;
}

// Mailbox providers send their one-click requests in bursts, and all of them share one connection.
const GROUPS = { maxWeight: 300, flushers: 1, maxPending: 5_000 };

/**
 * Unsubscribes recipients from the lists of the campaign, or from all marketing mail (spec 3-marketing §7.4), in one
 * transaction for requests that arrived together: memberships or the flag of the contact, the recipient, deltas of counters.
 */
@Injectable()
export class RecordUnsubscribe implements Unsubscriber<CampaignUnsubscribeLink> {
  readonly kind = 'campaign-unsubscribe';
  private readonly group = new GroupCommit<Unsubscribe, boolean>((items) => this.commit(items), GROUPS);

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Undefined for a deleted contact (spec 3-marketing §1.5 C9). */
  async about({ campaignId, contactId }: CampaignUnsubscribeLink): Promise<Subscription | undefined> {
    const [found]: (Subscription & { sender: string | null })[] = await this.dataSource.query(
      `select r.email, c.from_domain as domain, c.from_name as sender from campaign_recipients r join campaigns c on c.id = r.campaign_id
       where r.contact_id = $1 and r.campaign_id = $2 and c.from_domain is not null`,
      [contactId, campaignId],
    );
    return found && { ...found, sender: found.sender ?? undefined };
  }

  async record(link: CampaignUnsubscribeLink, wanted: Stop): Promise<void> {
    const known = await this.group.add({ ...link, wanted });
    const { accountId, campaignId, contactId } = link;
    this.logger.info(
      {
        event: 'campaign_recipient.unsubscribed',
        ...{ account_id: accountId, campaign_id: campaignId, contact_id: contactId, wanted, known },
      },
      'recipient of a campaign unsubscribed',
    );
  }

  async takeBack(link: CampaignUnsubscribeLink, wanted: Stop): Promise<boolean> {
    const isBack = await this.dataSource.transaction((tx) => takeBack(tx, { ...link, wanted }));
    const { accountId, campaignId, contactId } = link;
    this.logger.info(
      {
        event: 'campaign_recipient.returned',
        ...{ account_id: accountId, campaign_id: campaignId, contact_id: contactId, wanted, is_back: isBack },
      },
      'recipient of a campaign took the unsubscribe back',
    );
    return isBack;
  }

  /** @returns for each whether its contact exists */
  private commit(items: readonly Unsubscribe[]): Promise<boolean[]> {
    return this.dataSource.transaction(async (tx) => {
      const contacts = await lockContacts(tx, items);
      const known = items.filter(({ contactId }) => contacts.has(contactId));
      const recipients = await lockRecipients(tx, known);
      await stopAll(tx, [
        ...known.filter(({ wanted }) => wanted === 'all'),
        ...(await stopThese(
          tx,
          known.filter(({ wanted }) => wanted === 'these'),
          recipients,
        )),
      ]);
      await markRecipients(
        tx,
        recipients.filter(({ unsubscribed }) => !unsubscribed),
      );
      return items.map(({ contactId }) => contacts.has(contactId));
    });
  }
}

/** Locked for a change, since the flag of each may be set. @returns those that still exist */
async function lockContacts(tx: EntityManager, items: readonly Unsubscribe[]): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await tx.query(
    `select c.id from contacts c
       join (select distinct * from unnest($1::uuid[], $2::uuid[]) as given(id, account_id)) as given
         on given.id = c.id and given.account_id = c.account_id
     order by c.id for update of c`,
    [items.map(({ contactId }) => contactId), items.map(({ accountId }) => accountId)],
  );
  return new Set(rows.map(({ id }) => id));
}

interface LockedRecipient {
  readonly campaignId: string;
  readonly contactId: string;
  readonly position: number;
  readonly listIds: string[];
  readonly unsubscribed: boolean;
}

async function lockRecipients(tx: EntityManager, items: readonly Unsubscribe[]): Promise<LockedRecipient[]> {
  if (items.length === 0) return [];
  return tx.query(
    `select r.campaign_id as "campaignId", r.contact_id as "contactId", r.position, r.list_ids as "listIds",
       r.unsubscribed_at is not null as unsubscribed
     from campaign_recipients r
       join (select distinct * from unnest($1::uuid[], $2::uuid[]) as given(contact_id, campaign_id)) as given
         on given.contact_id = r.contact_id and given.campaign_id = r.campaign_id
     order by r.campaign_id, r.position for no key update of r`,
    [items.map(({ contactId }) => contactId), items.map(({ campaignId }) => campaignId)],
  );
}

// Also on deleted lists. A complained membership is frozen, and an unsubscribed one keeps its time.
const STOP = `
  with named as (select distinct * from unnest($1::uuid[], $2::uuid[]) as given(contact_id, list_id)),
  stopped as (
    update memberships m set subscription_status = 'unsubscribed', unsubscribed_at = now(), updated_at = now()
    from named where m.contact_id = named.contact_id and m.list_id = named.list_id
      and m.subscription_status in ('confirmed', 'unconfirmed'))
  select contact_id as "contactId", list_id as "listId" from named join memberships using (contact_id, list_id)`;

const keyOf = (one: { contactId: string; campaignId: string }): string =>
  `${one.contactId} ${one.campaignId}`;

/** @returns those without any membership left: the request has to work all the same (spec 3-marketing §7.4 rule 4) */
async function stopThese(
  tx: EntityManager,
  items: readonly Unsubscribe[],
  recipients: readonly LockedRecipient[],
): Promise<Unsubscribe[]> {
  const listsOf = new Map(recipients.map((one) => [keyOf(one), one.listIds]));
  const pairs = items.flatMap((one) =>
    (listsOf.get(keyOf(one)) ?? []).map((listId) => ({ contactId: one.contactId, listId })),
  );
  const left: { contactId: string; listId: string }[] =
    pairs.length === 0
      ? []
      : await tx.query(STOP, [pairs.map(({ contactId }) => contactId), pairs.map(({ listId }) => listId)]);
  const members = new Set(left.map(({ contactId, listId }) => `${contactId} ${listId}`));
  return items.filter(
    (one) => !(listsOf.get(keyOf(one)) ?? []).some((listId) => members.has(`${one.contactId} ${listId}`)),
  );
}

/** Sets the contact's own flag. @param items with locked contacts */
async function stopAll(tx: EntityManager, items: readonly Unsubscribe[]): Promise<void> {
  if (items.length === 0) return;
  const campaigns = new Map(items.map(({ contactId, campaignId }) => [contactId, campaignId]));
  const createdAt = new Date();
  const [flipped]: [{ id: string }[], number] = await tx.query(
    `update contacts set unsubscribed = true, unsubscribed_at = $2, updated_at = $2
     where id = any($1::uuid[]) and not unsubscribed returning id`,
    [[...campaigns.keys()], createdAt],
  );
  await recordUnsubscribes(
    tx,
    flipped.map(({ id }) => ({
      contactId: id,
      unsubscribed: true,
      source: 'recipient',
      campaignId: campaigns.get(id) ?? null,
      createdAt,
    })),
  );
}

/** Each counts once (spec 3-marketing §7.4 rule 6). @param recipients that had not unsubscribed */
async function markRecipients(tx: EntityManager, recipients: readonly LockedRecipient[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx.query(
    `update campaign_recipients r set unsubscribed_at = now()
     from unnest($1::uuid[], $2::int[]) as given(campaign_id, position)
     where r.campaign_id = given.campaign_id and r.position = given.position`,
    [recipients.map(({ campaignId }) => campaignId), recipients.map(({ position }) => position)],
  );
  await addCounts(
    tx,
    recipients.map(({ campaignId }) => ({ campaignId, unsubscribed: 1 })),
  );
}

// A complained membership is frozen (spec 3-marketing §7.4 rule 4).
const RETURN = `
  update memberships m set subscription_status = 'confirmed', subscribed_at = now(), unsubscribed_at = null, updated_at = now()
  from campaign_recipients r
  where r.campaign_id = $1 and r.contact_id = $2 and m.contact_id = r.contact_id and m.list_id = any(r.list_ids)
    and m.subscription_status = 'unsubscribed'`;
const MAILED = `
  select from contacts c join campaign_recipients r on r.contact_id = c.id and r.campaign_id = $1
    join memberships m on m.contact_id = c.id and m.list_id = any(r.list_ids) and m.subscription_status = 'confirmed'
  where c.id = $2 and not c.unsubscribed limit 1`;

/** The account could write the same (spec 3-marketing §7.4 rule 5). @returns whether the contact gets such mail again */
async function takeBack(tx: EntityManager, one: Unsubscribe): Promise<boolean> {
  const { campaignId, contactId, wanted } = one;
  if (!(await lockContacts(tx, [one])).has(contactId)) return false;
  if (wanted === 'these') await tx.query(RETURN, [campaignId, contactId]);
  else await clearFlag(tx, one);
  const mailed: unknown[] = await tx.query(MAILED, [campaignId, contactId]);
  return mailed.length > 0;
}

async function clearFlag(tx: EntityManager, { campaignId, contactId }: Unsubscribe): Promise<void> {
  const createdAt = new Date();
  const [, flipped]: [unknown, number] = await tx.query(
    `update contacts set unsubscribed = false, unsubscribed_at = null, updated_at = $2 where id = $1 and unsubscribed`,
    [contactId, createdAt],
  );
  if (flipped === 0) return;
  await recordUnsubscribes(tx, [
    { contactId, unsubscribed: false, source: 'recipient', campaignId, createdAt },
  ]);
}
