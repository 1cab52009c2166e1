import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { translateContacts, type ReadContact } from '@postmesh/importers';
import { requirePresent } from '../../account-changes/deleted-accounts.js';
import { insertMembers } from '../../lists/add-contacts.js';
import { ListsRepository } from '../../lists/lists.repository.js';
import { insertList } from '../../lists/manage-lists.js';
import { ApplyContacts, contactAfter, type ContactEntry } from '../apply-contacts.js';
import { AttributeDefinitions } from '../attributes/attribute-definitions.js';
import type { AttributeTypes } from '../attributes/attribute.rules.js';
import { readEntry } from '../batch-contacts.js';
import type { Contact } from '../contact.js';
import { ContactsRepository } from '../contacts.repository.js';
import type { ContactBatch, ContactBatchBody } from './contact-batch.schema.js';

/** Lists that the rows of one request may name. */
const MAX_LISTS = 200;
const MAX_LIST_NAME = 255;

/** A contact of the rows that the rules of a create accept. */
interface ForeignContact extends Pick<ReadContact, 'lists' | 'consent'> {
  readonly entry: ContactEntry;
}

/** A contact with what became of it, or would. */
interface Effect {
  readonly before: Contact | undefined;
  readonly after: Contact;
}

/** A part of a file that another service exported (decision 156). Repeated, it changes nothing more. */
@Injectable()
export class ImportForeignContacts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
    private readonly contacts: ContactsRepository,
    private readonly applying: ApplyContacts,
    private readonly lists: ListsRepository,
  ) {}

  /** @param isDryRun nothing is changed: the same effect is reported. @throws ApiError 400, 401 or 404 */
  async execute(
    accountId: AccountId,
    { confirmed, without_attributes: without, list_id: listId, ...rows }: ContactBatchBody,
    { isDryRun }: { isDryRun: boolean },
  ): Promise<ContactBatch> {
    const defined = await this.definitions.types(accountId);
    const attributes = without ? undefined : defined;
    const read = translateContacts({ ...rows, confirmed: confirmed ?? false, attributes });
    // a dry run takes new attributes as defined: they are, before the import
    const types = isDryRun ? new Map([...read.attributes, ...defined]) : defined;
    const { contacts, errors } = readContacts(read.contacts, types);
    const lists = namesOfLists(contacts);
    const { effects, joined } = isDryRun
      ? await this.preview(accountId, contacts, lists)
      : await this.apply(accountId, contacts, { lists, listId: listId ?? undefined });
    return {
      object: 'contact_batch',
      forms: read.forms,
      may_be_confirmed: read.mayBeConfirmed,
      ...countsOf(effects),
      rejected: read.errors.length + errors.length,
      repeated: read.repeated,
      consents: read.taken,
      lists: [...joined].map(([name, count]) => ({ name, contacts: count })),
      attributes: [...read.attributes].map(([key, type]) => ({ key, type, is_defined: defined.has(key) })),
      errors: [...read.errors, ...errors],
    };
  }

  private async preview(accountId: AccountId, contacts: readonly ForeignContact[], lists: readonly string[]) {
    await listsNamed(this.dataSource.manager, accountId, lists);
    const emails = contacts.map(({ entry }) => entry.email);
    const stored = await this.contacts.some(this.dataSource, accountId, emails);
    const known = new Map(stored.map((contact) => [contact.email, contact]));
    const now = new Date();
    const effects = contacts.map(({ entry }): Effect => {
      const before = known.get(entry.email);
      return { before, after: contactAfter(accountId, before, entry, now) };
    });
    const countOf = (name: string) => contacts.filter((contact) => contact.lists.includes(name)).length;
    return { effects, joined: new Map(lists.map((name) => [name, countOf(name)])) };
  }

  private apply(
    accountId: AccountId,
    contacts: readonly ForeignContact[],
    { lists, listId }: { lists: readonly string[]; listId: string | undefined },
  ) {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const entries = contacts.map(({ entry }) => entry);
      // it lets one import of the account change contacts and add lists at a time
      const applied = await this.applying.execute(tx, accountId, entries, 'import');
      const effects = applied.map(({ before, contact: after }): Effect => ({ before, after }));
      const idsOf = (isMember: (contact: ForeignContact) => boolean) =>
        applied.flatMap(({ contact: { id } }, nth) =>
          isMember(contacts[nth] as ForeignContact) ? [{ id }] : [],
        );
      const joined = new Map<string, number>();
      const known = await listsNamed(tx, accountId, lists);
      for (const name of lists) {
        const id = known.get(name) ?? (await insertList(tx, accountId, { name })).id;
        const members = idsOf((contact) => contact.lists.includes(name));
        joined.set(name, (await insertMembers(tx, { accountId, listId: id, contacts: members })).size);
      }
      if (listId !== undefined) {
        await this.lists.hold(tx, accountId, listId);
        const members = idsOf(({ consent }) => consent === 'subscribed');
        await insertMembers(tx, { accountId, listId, contacts: members });
      }
      return { effects, joined };
    });
  }
}

function readContacts(
  given: readonly (ReadContact & { position: number })[],
  types: AttributeTypes,
): { contacts: ForeignContact[]; errors: ContactBatch['errors'] } {
  const contacts: ForeignContact[] = [];
  const errors: ContactBatch['errors'] = [];
  for (const { position, consent, entry: fields, lists } of given) {
    const { entry, reason = '' } = readEntry(types, fields);
    if (!entry) errors.push({ position, email: fields.email, reason });
    // an unconfirmed contact that the account has may have confirmed here, and the file is older
    else
      contacts.push({
        consent,
        lists: lists.map(nameOf),
        entry: { ...entry, onlyNew: consent === 'unconfirmed' },
      });
  }
  return { contacts, errors };
}

const nameOf = (given: string): string => Array.from(given.trim()).slice(0, MAX_LIST_NAME).join('');

/** @throws ApiError 400 */
function namesOfLists(contacts: readonly ForeignContact[]): string[] {
  const names = new Set(contacts.flatMap(({ lists }) => lists));
  if (names.size > MAX_LISTS) throw new ApiError(400, `the rows name more than ${MAX_LISTS} lists`);
  return [...names];
}

/** The ids of the lists that have one of the names. @throws ApiError 400 when several have the same */
async function listsNamed(
  database: Pick<EntityManager, 'query'>,
  accountId: AccountId,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found: { id: string; name: string }[] = await database.query(
    `select id, name from lists where account_id = $1 and deleted_at is null and name = any($2::text[])
      order by id for key share`,
    [accountId, names],
  );
  const ids = new Map<string, string>();
  for (const { id, name } of found) {
    if (ids.has(name))
      throw new ApiError(400, `the account has several lists named ${name}: rename all but one`);
    ids.set(name, id);
  }
  return ids;
}

const isMailable = ({ status, unsubscribed }: Contact): boolean => status === 'enabled' && !unsubscribed;

function countsOf(effects: readonly Effect[]) {
  const count = (is: (effect: Effect) => boolean) => effects.filter(is).length;
  return {
    created: count(({ before }) => !before),
    updated: count(({ before, after }) => before !== undefined && before !== after),
    unchanged: count(({ before, after }) => before === after),
    stopped: count(({ before, after }) => before !== undefined && isMailable(before) && !isMailable(after)),
  };
}
