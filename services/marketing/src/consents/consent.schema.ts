import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { FREQUENCIES } from '../preferences/frequency.js';
import type { ShownConsent } from './consent-records.js';

const after = z
  .string()
  .regex(/^\d{1,15}$/, 'after must be the number of a record')
  .transform(Number)
  .optional();

export const ConsentsQuery = z.object({
  after: after.meta({ description: 'The number of the last record of the page before.' }),
});
export type ConsentsQuery = z.infer<typeof ConsentsQuery>;

export const ConsentResource = z
  .object({
    seq: z.number().int().min(1),
    contact_id: z.uuid(),
    list_id: z.uuid(),
    list_name: z.string().nullable(),
    action: z.enum(['granted', 'withdrawn']),
    way: z.enum(['form', 'console', 'preferences']).meta({
      description:
        'The page of a form, a member of the account who asked for a confirmation, or the preference centre.',
    }),
    form_id: z.uuid().nullable(),
    text_version: z.number().int().nullable(),
    text: z.string().nullable().meta({ description: 'The words of that version; null without a form.' }),
    text_digest: z.string().meta({ description: 'SHA-256 of the words.' }),
    at: Timestamp,
    email: z.string().nullable().meta({ description: 'Null when the contact was deleted.' }),
    ip: z.string().nullable(),
    salt: z.string().nullable(),
    details_digest: z.string(),
    status: z.string().nullable().meta({ description: 'The subscription today.' }),
    frequency: z.enum(FREQUENCIES).nullable().meta({
      description: 'How often the contact wants mail of campaigns today; null when it was deleted.',
    }),
    hash: z.string().meta({ description: 'SHA-256 over the hash before it and the fields of the record.' }),
  })
  .meta({ id: 'Consent', description: 'A consent of a contact to a list, or its end.' });

const records = z.array(ConsentResource);

export const ConsentList = z.object({ object: z.literal('list'), data: records });

/** Pages by number: the list only grows. */
export const ConsentPage = z.object({
  object: z.literal('list'),
  data: records,
  pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
});

export const ConsentVerification = z
  .object({
    object: z.literal('consent_verification'),
    last: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'The number of the last record that is as it was written.' }),
    hash: z.string(),
    has_more: z.boolean().meta({ description: 'Further records follow: ask again after the last one.' }),
    problem: z.string().nullable().meta({ description: 'The first thing that is wrong.' }),
  })
  .meta({ id: 'ConsentVerification', description: 'How far the chain of consents is whole.' });

export const consentResource = (row: ShownConsent): z.infer<typeof ConsentResource> => ({
  seq: row.seq,
  contact_id: row.contactId,
  list_id: row.listId,
  list_name: row.listName,
  action: row.action,
  way: row.way,
  form_id: row.formId,
  text_version: row.textVersion,
  text: row.text,
  text_digest: row.textDigest,
  at: row.at.toISOString(),
  email: row.details?.email ?? null,
  ip: row.details?.ip ?? null,
  salt: row.details?.salt ?? null,
  details_digest: row.detailsDigest,
  status: row.status,
  frequency: row.frequency,
  hash: row.hash.toString('hex'),
});
