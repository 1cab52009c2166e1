import type { z } from 'zod';
import {
  CONTACT_FIELD_NAMES,
  contactFieldNames,
  type CONTACT_FIELDS,
  type ContactFieldName,
} from './contact-fields.table.js';
import type { ContactResource } from './contact.schema.js';

/** A time is shown as text; other fields are stored in their public form. A field that is never shown is an id. */
type Stored<Field> = Field extends { shown: infer Shown extends z.ZodType }
  ? Field extends { sql: 'timestamptz' }
    ? Date | Extract<z.infer<Shown>, null>
    : z.infer<Shown>
  : string;

/** A row of `contacts`. */
export type Contact = {
  -readonly [Name in ContactFieldName]: Stored<(typeof CONTACT_FIELDS)[Name]>;
};

/** The columns of a read. */
export const CONTACT_COLUMNS = CONTACT_FIELD_NAMES.join(', ');

const SHOWN = contactFieldNames('shown');

/** The public form (spec 3-marketing §1.1). */
export function contactResource(contact: Contact): ContactResource {
  const resource: Record<string, unknown> = { object: 'contact' };
  for (const name of SHOWN) resource[name] = shown(contact[name]);
  return resource as ContactResource;
}

const shown = (value: Contact[ContactFieldName]) => (value instanceof Date ? value.toISOString() : value);
