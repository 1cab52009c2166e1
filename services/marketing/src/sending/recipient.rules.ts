import type { CampaignSendRecipient } from '@postmesh/messages-contract';
import type { Contact } from '../contacts/contact.js';

/** The state of a contact just before its message is handed over. */
export interface ContactState {
  /** null: the contact is deleted */
  readonly contactStatus: string | null;
  readonly unsubscribed: boolean | null;
  readonly validationStatus: string | null;
  /** on one of the lists for which the campaign selected it */
  readonly confirmed: boolean;
  /** the contact takes a break, by its preference centre */
  readonly paused: boolean;
  /** the contact wants less mail than this campaign would be, by its preference centre */
  readonly tooSoon: boolean;
}

export type SkipReason =
  | 'contact_disabled'
  | 'contact_unsubscribed'
  | 'contact_invalid'
  | 'not_confirmed'
  | 'contact_paused'
  | 'contact_frequency';

/** The reason why a recipient is skipped: the first applicable one (spec 3-marketing §7.2 rule 1). */
export function skipReason(contact: ContactState): SkipReason | null {
  if (contact.contactStatus !== 'enabled') return 'contact_disabled';
  if (contact.unsubscribed) return 'contact_unsubscribed';
  if (contact.validationStatus === 'invalid') return 'contact_invalid';
  if (!contact.confirmed) return 'not_confirmed';
  if (contact.paused) return 'contact_paused';
  return contact.tooSoon ? 'contact_frequency' : null;
}

export interface ContactFields {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export const contactFields = ({
  email,
  first_name,
  last_name,
  attributes,
}: Pick<Contact, 'email' | 'first_name' | 'last_name' | 'attributes'>): ContactFields => ({
  email,
  firstName: first_name,
  lastName: last_name,
  attributes,
});

/** In `To`; empty when unknown (spec 3-marketing §7.2 rule 3). */
export const recipientName = ({ firstName, lastName }: ContactFields): string =>
  [firstName, lastName].filter((part) => part !== '').join(' ');

/**
 * The variables of a contact (spec 3-marketing §5.4): reserved names take precedence over attributes, missing and empty
 * values are undefined.
 */
export function recipientValues(contact: ContactFields): CampaignSendRecipient['values'] {
  const { email, firstName: first_name, lastName: last_name, attributes } = contact;
  const all = Object.entries({ ...attributes, email, first_name, last_name });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== ''));
}
