import { isDeepStrictEqual } from 'node:util';
import { newId } from '@postmesh/contracts';
import type { AttributeChange } from './attributes/attribute.rules.js';
import { contactFieldNames, contactFieldsBy, type ContactFieldWith } from './contact-fields.table.js';
import type { Contact } from './contact.js';
import type { CreateContactBody, UpdateContactBody } from './contact.schema.js';

/** The fields of a body, with the attributes read by their definitions. */
export type ContactFields<B extends UpdateContactBody = UpdateContactBody> = Omit<B, 'attributes'> & {
  attributes: AttributeChange;
};

const INITIAL: Pick<Contact, ContactFieldWith<'initial'>> = contactFieldsBy('initial');
const { validation_status, last_validated_at } = INITIAL;
const UNVALIDATED = { validation_status, last_validated_at };

/** @param now time of the write; it is cut to milliseconds, like the row's */
export function newContact(accountId: string, given: ContactFields<CreateContactBody>, now: Date): Contact {
  const fields = { ...INITIAL, ...plainFields(given) };
  return {
    ...fields,
    id: newId(),
    account_id: accountId,
    created_at: now,
    updated_at: now,
    email: given.email,
    unsubscribed_at: fields.unsubscribed ? now : null,
    attributes: given.attributes.set,
  };
}

/**
 * The contact after an update (spec 3-marketing §1.3): omitted and null fields stay, attributes are merged, a new
 * address is not validated.
 * @returns the same object when nothing changes
 */
export function changedContact(contact: Contact, given: ContactFields, now: Date): Contact {
  const fields = { ...contact, ...plainFields(given) };
  const email = given.email ?? contact.email;
  const after: Contact = {
    ...fields,
    email,
    unsubscribed_at: fields.unsubscribed ? (contact.unsubscribed_at ?? now) : null,
    attributes: mergedAttributes(contact.attributes, given.attributes),
    ...(email === contact.email ? {} : UNVALIDATED),
  };
  return isDeepStrictEqual(after, contact) ? contact : { ...after, updated_at: now };
}

type PlainName = ContactFieldWith<'written' | 'initial'>;
const PLAIN_NAMES = contactFieldNames('written', 'initial');

/** The given ones of the fields that are stored unchanged. */
function plainFields(given: ContactFields): Partial<Pick<Contact, PlainName>> {
  const plain: Partial<Pick<Contact, PlainName>> = {};
  const add = <N extends PlainName>(name: N, value: Contact[N] | null | undefined): void => {
    if (value != null) plain[name] = value;
  };
  for (const name of PLAIN_NAMES) add(name, given[name]);
  return plain;
}

function mergedAttributes(
  stored: Readonly<Record<string, unknown>>,
  { set, remove }: AttributeChange,
): Record<string, unknown> {
  const kept = Object.entries(stored).filter(([key]) => !remove.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}
