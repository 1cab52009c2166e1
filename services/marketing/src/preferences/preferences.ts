import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isPresent } from '../account-changes/deleted-accounts.js';
import { recordConsents, type NewConsent } from '../consents/consent-records.js';
import { recordUnsubscribes } from '../contacts/contact-unsubscribes.js';
import { joinList, resubscribe } from '../sign-ups/join-list.js';
import { chooseFrequency, frequencySql, type Frequency } from './frequency.js';
import { MAX_PUBLIC_LISTS } from './public-list.schema.js';

/** The reader of a link: proven by the token. */
export interface Reader {
  readonly accountId: string;
  readonly contactId: string;
  /** of the link of a campaign */
  readonly campaignId: string | null;
}

interface ChoosableList {
  readonly id: string;
  readonly title: string;
  /** mail of it arrives */
  readonly isOn: boolean;
  /** ended by a complaint, which is not taken back here */
  readonly isFrozen: boolean;
}

/** The choices of a contact, but for lists. */
export interface Wishes {
  readonly email: string;
  /** all marketing mail is stopped */
  readonly isOff: boolean;
  readonly pausedUntil: Date | null;
  readonly frequency: Frequency;
  /** null: every mail */
  readonly frequencyChosenAt: Date | null;
}

export interface Preferences extends Wishes {
  readonly lists: readonly ChoosableList[];
}

/** The choice of a reader. A list that the page did not show stays as it is. */
export interface Choice {
  readonly shown: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
  readonly pausedUntil: Date | null;
  /** undefined: the page did not ask, and the choice stays */
  readonly frequency: Frequency | undefined;
}

const CONTACT = `select c.email, c.unsubscribed as "isOff", p.paused_until as "pausedUntil",
    ${frequencySql('f')} as frequency, f.chosen_at as "frequencyChosenAt"
  from contacts c left join contact_pauses p on p.contact_id = c.id and p.paused_until > now()
    left join contact_frequencies f on f.contact_id = c.id
  where c.id = $1 and c.account_id = $2`;
const LISTS = `select l.id, public_lists.title, coalesce(m.subscription_status = 'confirmed' and not $3, false) as "isOn",
    coalesce(m.subscription_status = 'complained', false) as "isFrozen"
  from public_lists join lists l on l.id = public_lists.list_id and l.deleted_at is null
    left join memberships m on m.list_id = l.id and m.contact_id = $1
  where public_lists.account_id = $2 order by public_lists.title, l.id limit ${MAX_PUBLIC_LISTS}`;

/** The wishes of a contact, behind the links of its mail. */
@Injectable()
export class ContactPreferences {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns undefined for a deleted contact */
  of(reader: Reader): Promise<Preferences | undefined> {
    return preferencesOf(this.dataSource.manager, reader);
  }

  /** @returns false for a deleted contact. @throws Transient */
  save(reader: Reader, choice: Choice, ip: string): Promise<boolean> {
    return this.change(reader, async (tx, before) => {
      const shown = before.lists.filter(({ id, isFrozen }) => choice.shown.has(id) && !isFrozen);
      const joined = shown.filter(({ id, isOn }) => choice.wanted.has(id) && !isOn);
      const left = shown.filter(({ id, isOn }) => !choice.wanted.has(id) && isOn);
      for (const { id: listId } of joined) {
        await joinList(tx, reader.accountId, { contactId: reader.contactId, listId });
      }
      if (before.isOff && joined.length > 0) {
        await resubscribe(
          tx,
          reader.contactId,
          joined.map(({ id }) => id),
        );
      }
      await leaveLists(tx, reader, left);
      await pause(tx, reader, choice.pausedUntil);
      if (choice.frequency !== undefined) await chooseFrequency(tx, reader, choice.frequency);
      await recordConsents(tx, reader.accountId, [
        ...consentsOf(reader, before, { lists: joined, action: 'granted', ip }),
        ...consentsOf(reader, before, { lists: left, action: 'withdrawn', ip }),
      ]);
    });
  }

  /** Stops all marketing mail. @returns false for a deleted contact. @throws Transient */
  stopAll(reader: Reader, ip: string): Promise<boolean> {
    return this.change(reader, async (tx, before) => {
      if (before.isOff) return;
      const createdAt = new Date();
      await tx.query(
        'update contacts set unsubscribed = true, unsubscribed_at = $2, updated_at = $2 where id = $1',
        [reader.contactId, createdAt],
      );
      const { contactId, campaignId } = reader;
      await recordUnsubscribes(tx, [
        { contactId, unsubscribed: true, source: 'recipient', campaignId, createdAt },
      ]);
      const lists = before.lists.filter(({ isOn }) => isOn);
      await recordConsents(
        tx,
        reader.accountId,
        consentsOf(reader, before, { lists, action: 'withdrawn', ip }),
      );
    });
  }

  private change(
    reader: Reader,
    apply: (tx: EntityManager, before: Preferences) => Promise<void>,
  ): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await isPresent(tx, reader.accountId))) return false;
      await tx.query('select from contacts where id = $1 and account_id = $2 for update', [
        reader.contactId,
        reader.accountId,
      ]);
      const before = await preferencesOf(tx, reader);
      if (before) await apply(tx, before);
      return before !== undefined;
    });
  }
}

/** @returns undefined for a deleted contact */
export async function wishesOf(
  database: Pick<EntityManager, 'query'>,
  { accountId, contactId }: Pick<Reader, 'accountId' | 'contactId'>,
): Promise<Wishes | undefined> {
  const [contact]: Wishes[] = await database.query(CONTACT, [contactId, accountId]);
  return contact;
}

async function preferencesOf(manager: EntityManager, reader: Reader): Promise<Preferences | undefined> {
  const contact = await wishesOf(manager, reader);
  if (!contact) return undefined;
  const { accountId, contactId } = reader;
  return { ...contact, lists: await manager.query(LISTS, [contactId, accountId, contact.isOff]) };
}

async function leaveLists(
  tx: EntityManager,
  { contactId }: Reader,
  lists: readonly ChoosableList[],
): Promise<void> {
  await tx.query(
    `update memberships set subscription_status = 'unsubscribed', unsubscribed_at = now(), updated_at = now()
     where contact_id = $1 and list_id = any($2::uuid[]) and subscription_status in ('confirmed', 'unconfirmed')`,
    [contactId, lists.map(({ id }) => id)],
  );
}

async function pause(tx: EntityManager, { accountId, contactId }: Reader, until: Date | null): Promise<void> {
  if (until === null) {
    await tx.query('delete from contact_pauses where contact_id = $1', [contactId]);
    return;
  }
  await tx.query(
    `insert into contact_pauses (contact_id, account_id, paused_until) values ($1, $2, $3)
     on conflict (contact_id) do update set paused_until = excluded.paused_until`,
    [contactId, accountId, until],
  );
}

/** The words that the reader answered are the title of the list. */
const consentsOf = (
  { contactId }: Reader,
  { email }: Preferences,
  { lists, action, ip }: { lists: readonly ChoosableList[]; action: NewConsent['action']; ip: string },
): NewConsent[] =>
  lists.map(({ id: listId, title: text }) => ({
    ...{ contactId, listId, action, text, email, ip },
    way: 'preferences',
    at: new Date(),
  }));
