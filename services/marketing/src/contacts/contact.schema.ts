import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  BooleanParameter,
  fullPageOf,
  inputSchemaOf,
  LENIENT,
  timeParameter,
  trimText,
} from '@postmesh/contracts';
import { readContactEmail } from './contact-email.rules.js';
import {
  CONTACT_STATUSES,
  ContactEmail,
  contactFieldsBy,
  type ContactStatus,
} from './contact-fields.table.js';

const MAX_BATCH = 1_000;

export const ContactErrors = {
  notFound: () => ApiErrors.notFound('contact'),
  taken: () => new ApiError(409, 'a contact with this email address already exists'),
} as const;

/** The writable fields of a contact. */
const written = contactFieldsBy('written');

/** `POST …/contacts`, and an entry of a batch. */
export const CreateContactBody = z.object({ ...written, email: ContactEmail });
export type CreateContactBody = z.infer<typeof CreateContactBody>;

/** `PUT …/contacts/{id_or_email}`: omitted and null fields stay. */
export const UpdateContactBody = z.object(written);
export type UpdateContactBody = z.infer<typeof UpdateContactBody>;

/** Validated later, one by one. */
const BatchContactInput = z.unknown().meta({
  id: 'BatchContactInput',
  ...LENIENT,
  ...inputSchemaOf(CreateContactBody),
  additionalProperties: false,
});

/** Entries are validated one by one: an invalid one is its own failure (spec 3-marketing §1.3). */
export const BatchContactsBody = z.object({
  data: z
    .array(BatchContactInput)
    .min(1)
    .max(MAX_BATCH)
    .meta({ description: 'Each has the fields of a create; `email` is required.' }),
});
export type BatchContactsBody = z.infer<typeof BatchContactsBody>;

const time = (description: string) => z.string().optional().meta({ format: 'date-time', description });

/** The filters of a list, in the form of the query. */
export const ListContactsQuery = z.object({
  email: z.string().optional().meta({ description: 'Exactly this address, in any spelling.' }),
  status: z.enum(CONTACT_STATUSES).optional().meta({ description: 'Only contacts with this status.' }),
  subscribed: BooleanParameter.optional().meta({ description: '`true`: those that are not unsubscribed.' }),
  from_time: time('Only those that were created at this time or later.'),
  to_time: time('Only those that were created at this time or before.'),
});

export interface ContactFilters {
  /** undefined: any; null: an address that no contact can have */
  email?: string | null;
  status?: ContactStatus;
  unsubscribed?: boolean;
  from?: Date;
  to?: Date;
}

/** @throws ApiError 400 */
export function readContactFilters(given: Readonly<Record<string, string | undefined>>): ContactFilters {
  const wanted = trimText(given['email'] ?? '');
  const status = CONTACT_STATUSES.find((one) => one === given['status']);
  if (given['status'] !== undefined && status === undefined)
    throw ApiErrors.invalidParameter('status', CONTACT_STATUSES);
  const subscribed = BooleanParameter.optional().safeParse(given['subscribed']);
  if (!subscribed.success) throw ApiErrors.invalidParameter('subscribed');
  const from = timeParameter('from_time', given['from_time']);
  const to = timeParameter('to_time', given['to_time']);
  if (from && to && from > to) throw new ApiError(400, 'from_time must not be after to_time');
  return {
    ...(wanted === '' ? {} : { email: readContactEmail(wanted) ?? null }),
    ...(status === undefined ? {} : { status }),
    ...(subscribed.data === undefined ? {} : { unsubscribed: !subscribed.data }),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

/** The public form (spec 3-marketing §1.1). */
export const ContactResource = z
  .object({ object: z.literal('contact'), ...contactFieldsBy('shown') })
  .meta({ id: 'Contact', description: 'A possible recipient of campaigns of the account.' });
export type ContactResource = z.infer<typeof ContactResource>;

export const ContactPage = fullPageOf(ContactResource);

const count = z.number().int().min(0);

export const BatchResultResource = z
  .object({
    object: z.literal('list'),
    created: count,
    updated: count,
    failed: count,
    data: z.array(
      z.object({
        position: count.meta({ description: 'Position of the entry in the request, from 0.' }),
        email: z.string().meta({
          description: 'In its stored form. Empty when it was no text, or longer than any address.',
        }),
        outcome: z.enum(['created', 'updated', 'failed']),
        contact: ContactResource.optional().meta({ description: 'For an entry that did not fail.' }),
        reason: z.string().optional().meta({ description: 'For an entry that failed.' }),
      }),
    ),
  })
  .meta({ id: 'ContactBatchResult', description: 'The results of the entries of a batch.' });
export type BatchResultResource = z.infer<typeof BatchResultResource>;
