import type { ContactResource, ContactStatus, ValidationStatus } from './contact.schema.js';

/** A row of `contacts`. */
export interface Contact {
  id: string;
  account_id: string;
  created_at: Date;
  updated_at: Date;
  email: string;
  first_name: string;
  last_name: string;
  status: ContactStatus;
  status_reason: string;
  unsubscribed: boolean;
  unsubscribed_at: Date | null;
  attributes: Record<string, unknown>;
  validation_status: ValidationStatus;
  last_validated_at: Date | null;
}

/** What of a contact a read shows, in the order of the columns. */
export const CONTACT_COLUMNS = `id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
  unsubscribed, unsubscribed_at, attributes, validation_status, last_validated_at`;

export const contactResource = (contact: Contact): ContactResource => ({
  object: 'contact',
  id: contact.id,
  created_at: contact.created_at.toISOString(),
  updated_at: contact.updated_at.toISOString(),
  email: contact.email,
  first_name: contact.first_name,
  last_name: contact.last_name,
  status: contact.status,
  status_reason: contact.status_reason,
  unsubscribed: contact.unsubscribed,
  unsubscribed_at: contact.unsubscribed_at?.toISOString() ?? null,
  attributes: contact.attributes,
  validation_status: contact.validation_status,
  last_validated_at: contact.last_validated_at?.toISOString() ?? null,
});
