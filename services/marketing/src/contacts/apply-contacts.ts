import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { changedContact, newContact, type ContactFields } from './contact-change.rules.js';
import { recordUnsubscribes, type UnsubscribeSource } from './contact-unsubscribes.js';
import type { Contact } from './contact.js';
import type { CreateContactBody } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

export type ContactEntry = ContactFields<CreateContactBody> & {
  /** a contact that exists stays as it is */
  onlyNew?: boolean;
};

export interface AppliedContact {
  /** before all entries; undefined: it was created */
  before: Contact | undefined;
  contact: Contact;
  outcome: 'created' | 'updated';
  /** false: an update that changed nothing */
  isChanged: boolean;
}

interface Applied {
  before: Contact | undefined;
  contact: Contact;
  /** of its entries, in order */
  results: Pick<AppliedContact, 'outcome' | 'isChanged'>[];
}

// Each round, a free address was taken by another request, which cannot happen many times.
const MAX_ROUNDS = 5;

/**
 * Creates new contacts and updates existing ones, with few statements for any number (spec 3-marketing §1.3): the work of
 * a batch and an import. One call at a time per account, so that two of them cannot deadlock.
 */
@Injectable()
export class ApplyContacts {
  constructor(private readonly contacts: ContactsRepository) {}

  /**
   * In the transaction of the caller, which has checked that the account is present.
   * @param entries in order; a second entry of an address is an update of it
   * @returns the result of each, in their order; the contact is its state after all of them
   */
  async execute(
    tx: EntityManager,
    accountId: AccountId,
    entries: readonly ContactEntry[],
    source: UnsubscribeSource,
  ): Promise<AppliedContact[]> {
    if (entries.length === 0) return [];
    await tx.query(`select pg_advisory_xact_lock(hashtext('contacts of an account'), hashtext($1))`, [
      accountId,
    ]);
    const now = new Date();
    const emails = [...new Set(entries.map(({ email }) => email))];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const stored = await this.contacts.lockSome(tx, accountId, emails);
      const applied = applyAll(accountId, stored, entries, now);
      const all = [...applied.values()];
      const fresh = all.filter(({ before }) => !before).map(({ contact }) => contact);
      const added = await this.contacts.insert(tx, fresh);
      if (added.size < fresh.length) {
        // a single create was faster: contacts added by this round count as stored in the next one
        await this.forget(
          tx,
          fresh.filter(({ email }) => added.has(email)),
        );
        continue;
      }
      await this.finish(tx, all, source);
      return entries.map(({ email }) => {
        const one = applied.get(email);
        if (!one) throw new Error('an entry was not applied');
        const { before, contact } = one;
        return { before, contact, outcome: 'updated', isChanged: false, ...one.results.shift() };
      });
    }
    throw new Error('addresses of a batch were taken again and again');
  }

  /** Removes rows inserted by this transaction, which no other one has seen. */
  private async forget(tx: EntityManager, contacts: readonly Contact[]): Promise<void> {
    await tx.query('delete from contacts where id = any($1::uuid[])', [contacts.map(({ id }) => id)]);
  }

  private async finish(tx: EntityManager, all: readonly Applied[], source: UnsubscribeSource): Promise<void> {
    const changed = all.filter(({ before, contact }) => before && before !== contact);
    await this.contacts.update(
      tx,
      changed.map(({ contact }) => contact),
    );
    const flips = all.filter(
      ({ before, contact }) => (before?.unsubscribed ?? false) !== contact.unsubscribed,
    );
    await recordUnsubscribes(
      tx,
      flips.map(({ contact }) => ({
        contactId: contact.id,
        unsubscribed: contact.unsubscribed,
        source,
        createdAt: contact.updated_at,
      })),
    );
  }
}

/** @returns the same object when nothing changes */
export function contactAfter(
  accountId: AccountId,
  current: Contact | undefined,
  entry: ContactEntry,
  now: Date,
): Contact {
  if (!current) return newContact(accountId, entry, now);
  return entry.onlyNew ? current : changedContact(current, entry, now);
}

/** By address: each contact after all of its entries. */
function applyAll(
  accountId: AccountId,
  stored: readonly Contact[],
  entries: readonly ContactEntry[],
  now: Date,
): Map<string, Applied> {
  const known = new Map(stored.map((contact) => [contact.email, contact]));
  const applied = new Map<string, Applied>();
  for (const entry of entries) {
    const before = known.get(entry.email);
    const so = applied.get(entry.email);
    const current = so?.contact ?? before;
    const contact = contactAfter(accountId, current, entry, now);
    const results = so?.results ?? [];
    results.push({ outcome: current ? 'updated' : 'created', isChanged: contact !== current });
    applied.set(entry.email, { before, contact, results });
  }
  return applied;
}
