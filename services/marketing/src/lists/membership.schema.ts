import { z } from 'zod';
import { ApiError, ApiErrors, BooleanParameter, Timestamp, isBlank } from '@postmesh/contracts';
import { contactResource, type Contact } from '../contacts/contact.js';
import { ContactResource } from '../contacts/contact.schema.js';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { UncountedList, uncountedList, type ListRow } from './list.schema.js';
import { SUBSCRIPTION_STATUSES, WRITABLE_STATUSES, type MembershipState } from './membership.rules.js';

/** Body of `PUT …/lists/{id}/contacts/{id_or_email}`. */
export const PutMembershipBody = z.object({
  subscription_status: z.enum(WRITABLE_STATUSES).nullish().meta({
    description: 'Omitted or null: a new membership is confirmed, an existing one does not change.',
  }),
});
export type PutMembershipBody = z.infer<typeof PutMembershipBody>;

const subscription_status = z
  .enum(SUBSCRIPTION_STATUSES)
  .optional()
  .meta({ description: 'Only memberships with this status.' });

/** Replaces an invalid address, and matches no contact. */
const NOBODY = '@';

export const ListMembersQuery = z.object({
  subscription_status,
  email: z
    .string()
    .transform((text) => (isBlank(text) ? undefined : (readContactEmail(text) ?? NOBODY)))
    .optional()
    .meta({ description: 'Only the member with this address.' }),
  include_contacts: BooleanParameter.optional().meta({
    description: 'Shows the whole contact of each member. Needs the scope `contacts:read`, too.',
  }),
});
export type ListMembersQuery = z.infer<typeof ListMembersQuery>;

export const ListsOfContactQuery = z.object({ subscription_status });
export type ListsOfContactQuery = z.infer<typeof ListsOfContactQuery>;

const membership = z.object({
  object: z.literal('list_contact'),
  list_id: z.uuid(),
  contact_id: z.uuid(),
  email: z.string(),
  subscription_status: z.enum(SUBSCRIPTION_STATUSES),
  subscribed_at: Timestamp.nullable(),
  unsubscribed_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** The public form (spec 3-marketing §2.2). */
export const MembershipResource = membership.meta({
  id: 'ListContact',
  description: 'A contact on a list.',
});
export type MembershipResource = z.infer<typeof MembershipResource>;

export const MemberResource = membership
  .extend({ contact: ContactResource.optional().meta({ description: 'Only if requested.' }) })
  .meta({ id: 'ListMember', description: 'A contact on a list, with the whole contact if requested.' });

export const ListOfContactResource = membership
  .extend({ list: UncountedList })
  .meta({ id: 'ContactListMembership', description: 'A contact on a list, with the list.' });

/** A row of the table `memberships` and the contact's address. */
export interface MembershipRow extends MembershipState {
  list_id: string;
  contact_id: string;
  email: string;
  created_at: Date;
  updated_at: Date;
}

export const membershipResource = (row: MembershipRow): MembershipResource => ({
  object: 'list_contact',
  list_id: row.list_id,
  contact_id: row.contact_id,
  email: row.email,
  subscription_status: row.subscription_status,
  subscribed_at: row.subscribed_at?.toISOString() ?? null,
  unsubscribed_at: row.unsubscribed_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const memberWithContact = (row: MembershipRow & { contact: Contact }) => ({
  ...membershipResource(row),
  contact: contactResource(row.contact),
});

export const membershipWithList = (row: MembershipRow & { list: ListRow }) => ({
  ...membershipResource(row),
  list: uncountedList(row.list),
});

export const MembershipErrors = {
  notOnList: () => new ApiError(404, 'contact is not on this list'),
  frozen: () => new ApiError(409, 'the contact reported this list as spam, its membership cannot be changed'),
  mayNotReadContacts: () => ApiErrors.missingScope(['lists:read', 'contacts:read']),
} as const;
