import { z } from 'zod';
import { inputSchemaOf, LENIENT } from '@postmesh/contracts';
import { MembershipResource, membershipResource } from './membership.schema.js';
import type { AddedContacts } from './add-contacts.js';

const MAX_ENTRIES = 1_000;

/** Validated later, one by one. */
const ListedContactInput = z.unknown().meta({
  id: 'ListedContactInput',
  ...LENIENT,
  ...inputSchemaOf(z.object({ email: z.string().optional(), id: z.uuid().optional() })),
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
});

/** Body of `POST …/lists/{id}/contacts/batch`. An invalid entry is its own outcome. */
export const AddContactsBody = z.object({
  data: z
    .array(ListedContactInput)
    .min(1)
    .max(MAX_ENTRIES)
    .meta({ description: 'Each names one contact: `{"email": "…"}` or `{"id": "…"}`.' }),
});
export type AddContactsBody = z.infer<typeof AddContactsBody>;

const count = z.number().int().min(0);

/** Spec 3-marketing §2.3. */
export const AddContactsResource = z
  .object({
    object: z.literal('list'),
    added: count,
    skipped: count.meta({ description: 'Contacts that were on the list before, with any status.' }),
    failed: count,
    data: z.array(
      z.object({
        position: count.meta({ description: 'Position of the entry in the request, from 0.' }),
        email: z.string().optional(),
        id: z.uuid().optional(),
        outcome: z.enum(['added', 'already_member', 'not_found', 'invalid']),
        membership: MembershipResource.optional(),
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'AddedContacts', description: 'The result of each entry, in the order of the request.' });
type AddContactsResource = z.infer<typeof AddContactsResource>;

export function addContactsResource(results: AddedContacts): AddContactsResource {
  const count = (...outcomes: string[]) => results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    object: 'list',
    added: count('added'),
    skipped: count('already_member'),
    failed: count('not_found', 'invalid'),
    data: results.map(({ position, identifier, outcome, membership, reason }) => ({
      position,
      ...identifier,
      outcome,
      ...(membership ? { membership: membershipResource(membership) } : {}),
      ...(reason === undefined ? {} : { reason }),
    })),
  };
}
