import { z } from 'zod';
import {
  isLongerThan,
  lineField,
  openObject,
  storableText,
  Timestamp,
  trimText,
  wellFormed,
} from '@postmesh/contracts';
import { readContactEmail } from './contact-email.rules.js';

const MAX_NAME = 255;
const MAX_STATUS_REASON = 1_000;

export const CONTACT_STATUSES = ['enabled', 'disabled', 'blocked'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];
const VALIDATION_STATUSES = ['unvalidated', 'valid', 'invalid', 'risky', 'unknown'] as const;

export const ContactEmail = z
  .string()
  .refine((text) => readContactEmail(text) !== undefined, { message: 'email is not a valid email address' })
  .transform((text) => readContactEmail(text) ?? '')
  .meta({ format: 'email', description: 'Stored trimmed and in lower case; one contact per address.' });

const statusReason = storableText('status_reason')
  .refine((text) => !isLongerThan(trimText(text), MAX_STATUS_REASON), {
    message: `status_reason must be at most ${MAX_STATUS_REASON} characters`,
  })
  .transform((text) => wellFormed(trimText(text)))
  .meta({ maxLength: MAX_STATUS_REASON });

/** A field of a contact, which is the column of the same name. */
export interface ContactField {
  /** Type of the column. */
  readonly sql: 'uuid' | 'text' | 'bool' | 'timestamptz' | 'jsonb';
  /** Public: in responses and exports; a time is shown as text. A field without it is internal. */
  readonly shown?: z.ZodType;
  /** Writable: in request bodies and imported files, with its limits. A field without it is written by the service only. */
  readonly written?: z.ZodType;
  /** The default value of a new contact. A field without it has a rule in `contact-change.rules.ts`. */
  readonly initial?: unknown;
}

/**
 * The fields of a contact (spec 3-marketing §1.1) in the order of responses, request bodies, errors and CSV files. Row
 * type, columns, schemas, API document, changes, imports and exports derive from this table.
 */
export const CONTACT_FIELDS = {
  id: { sql: 'uuid', shown: z.uuid() },
  account_id: { sql: 'uuid' },
  created_at: { sql: 'timestamptz', shown: Timestamp },
  updated_at: { sql: 'timestamptz', shown: Timestamp },
  email: { sql: 'text', shown: z.string(), written: ContactEmail.nullish() },
  first_name: {
    sql: 'text',
    shown: z.string(),
    written: lineField('first_name', MAX_NAME).nullish(),
    initial: '',
  },
  last_name: {
    sql: 'text',
    shown: z.string(),
    written: lineField('last_name', MAX_NAME).nullish(),
    initial: '',
  },
  status: {
    sql: 'text',
    shown: z.enum(CONTACT_STATUSES),
    written: z.enum(CONTACT_STATUSES).nullish().meta({
      description: 'Only an `enabled` contact is in campaigns. Transactional mail ignores this field.',
    }),
    initial: 'enabled',
  },
  status_reason: { sql: 'text', shown: z.string(), written: statusReason.nullish(), initial: '' },
  unsubscribed: {
    sql: 'bool',
    shown: z.boolean(),
    written: z.boolean().nullish().meta({ description: 'From all campaigns of the account.' }),
    initial: false,
  },
  unsubscribed_at: { sql: 'timestamptz', shown: Timestamp.nullable() },
  attributes: {
    sql: 'jsonb',
    shown: z.record(z.string(), z.unknown()),
    written: openObject(z.unknown()).nullish().meta({
      description:
        'Values by the keys that are defined for the account: texts, finite numbers, booleans, dates (`YYYY-MM-DD`) and timestamps (RFC 3339).',
    }),
  },
  validation_status: { sql: 'text', shown: z.enum(VALIDATION_STATUSES), initial: 'unvalidated' },
  last_validated_at: { sql: 'timestamptz', shown: Timestamp.nullable(), initial: null },
} as const satisfies Readonly<Record<string, ContactField>>;

type Fields = typeof CONTACT_FIELDS;
export type ContactFieldName = keyof Fields;
export const CONTACT_FIELD_NAMES = Object.keys(CONTACT_FIELDS) as ContactFieldName[];

/** The fields whose rows have all these properties. */
export type ContactFieldWith<P extends keyof ContactField> = {
  [N in ContactFieldName]: [P] extends [keyof Fields[N]] ? N : never;
}[ContactFieldName];

/** Their names, in the order of the table. */
export function contactFieldNames<P extends keyof ContactField>(...properties: P[]): ContactFieldWith<P>[] {
  const rows: [string, ContactField][] = Object.entries(CONTACT_FIELDS);
  const having = rows.filter(([, field]) => properties.every((property) => property in field));
  return having.map(([name]) => name as ContactFieldWith<P>);
}

/** One property of the rows that have it, by the name of the field, in the order of the table. */
export function contactFieldsBy<P extends keyof ContactField>(property: P) {
  const all: Readonly<Record<string, ContactField>> = CONTACT_FIELDS;
  const entries = contactFieldNames(property).map((name) => [name, all[name]?.[property]] as const);
  return Object.fromEntries(entries) as {
    [N in ContactFieldWith<P>]: Fields[N] extends Readonly<Record<P, infer Value>> ? Value : never;
  };
}
