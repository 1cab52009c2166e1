import { isDeepStrictEqual } from 'node:util';
import { newId } from '@postmesh/contracts';
import type { AttributeChange } from './attributes/attribute.rules.js';
import type { Contact } from './contact.js';
import type { CreateContactBody, UpdateContactBody } from './contact.schema.js';

/** What is written: the fields of a body, with the attributes as they were read by their definitions. */
export type ContactFields<B extends UpdateContactBody = UpdateContactBody> = Omit<B, 'attributes'> & {
  attributes: AttributeChange;
};

/** @param now the moment of the write; it is cut to milliseconds, as the row is */
export function newContact(accountId: string, given: ContactFields<CreateContactBody>, now: Date): Contact {
  const unsubscribed = given.unsubscribed ?? false;
  return {
    id: newId(),
    account_id: accountId,
    created_at: now,
    updated_at: now,
    email: given.email,
    first_name: given.first_name ?? '',
    last_name: given.last_name ?? '',
    status: given.status ?? 'enabled',
    status_reason: given.status_reason ?? '',
    unsubscribed,
    unsubscribed_at: unsubscribed ? now : null,
    attributes: given.attributes.set,
    validation_status: 'unvalidated',
    last_validated_at: null,
  };
}

/**
 * The contact after an update (spec 3-marketing §1.3): what is left out or null stays, attributes are merged, another
 * address has not been validated.
 * @returns the same object when nothing changes
 */
export function changedContact(contact: Contact, given: ContactFields, now: Date): Contact {
  const unsubscribed = given.unsubscribed ?? contact.unsubscribed;
  const email = given.email ?? contact.email;
  const after: Contact = {
    ...contact,
    email,
    first_name: given.first_name ?? contact.first_name,
    last_name: given.last_name ?? contact.last_name,
    status: given.status ?? contact.status,
    status_reason: given.status_reason ?? contact.status_reason,
    unsubscribed,
    unsubscribed_at: unsubscribed ? (contact.unsubscribed_at ?? now) : null,
    attributes: mergedAttributes(contact.attributes, given.attributes),
    ...(email === contact.email ? {} : { validation_status: 'unvalidated', last_validated_at: null }),
  };
  return isDeepStrictEqual(after, contact) ? contact : { ...after, updated_at: now };
}

function mergedAttributes(
  stored: Readonly<Record<string, unknown>>,
  { set, remove }: AttributeChange,
): Record<string, unknown> {
  const kept = Object.entries(stored).filter(([key]) => !remove.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}
