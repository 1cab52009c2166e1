import { ApiError } from '@postmesh/contracts';
import { foreignRows, type ForeignRows } from '../read/foreign-rows.js';
import type { Consent, Source } from '../sources/source.js';
import { SOURCES } from '../sources/sources.js';
import {
  mergedContacts,
  noConsents,
  noteTypes,
  readContact,
  type AttributeType,
  type ReadContact,
} from './contact-rows.rules.js';

export interface ForeignContacts extends ForeignRows {
  /** a person says that the unconfirmed contacts of this file did confirm */
  readonly confirmed: boolean;
  /** those that the account defines; undefined: attributes are left out */
  readonly attributes: ReadonlyMap<string, AttributeType> | undefined;
}

export interface TranslatedContacts {
  /** the form of the rows; several: nothing is translated before one of them is named */
  forms: string[];
  /** the rows do not say whether a contact confirmed */
  mayBeConfirmed: boolean;
  /** one for each address, with the position of its first row */
  contacts: (ReadContact & { position: number })[];
  /** rows of an address that an earlier row has */
  repeated: number;
  taken: Record<Consent, number>;
  /** with their types in these rows, or as they are defined */
  attributes: Map<string, AttributeType>;
  errors: { position: number; email: string; reason: string }[];
}

/** By the tables of the importers, without any effect. @throws ApiError 400 for rows of no known form */
export function translateContacts({
  service,
  confirmed,
  attributes: defined,
  ...given
}: ForeignContacts): TranslatedContacts {
  const { title, contacts, without }: Source = SOURCES[service];
  if (contacts.length === 0) throw new ApiError(400, without.contacts ?? `${title} has no contacts`);
  const { names, form, rows } = foreignRows(given, contacts);
  const made: TranslatedContacts = {
    ...{ forms: names, mayBeConfirmed: form?.mayBeConfirmed === true, contacts: [], repeated: 0 },
    ...{ taken: noConsents(), attributes: new Map(), errors: [] },
  };
  if (!form) return made;
  if (defined) for (const row of rows) noteTypes(made.attributes, row, form);
  for (const key of made.attributes.keys()) {
    const type = defined?.get(key);
    if (type !== undefined) made.attributes.set(key, type);
  }
  const attributes = defined && made.attributes;
  const about = { form, title, list: undefined, confirmed, attributes };
  const found = new Map<string, ReadContact & { position: number }>();
  rows.forEach((row, position) => {
    const read = readContact(row, about);
    if (typeof read === 'string') {
      made.errors.push({ position, email: String(row.value(form.email) ?? ''), reason: read });
      return;
    }
    made.taken[read.consent] += 1;
    const first = found.get(read.entry.email);
    if (first) made.repeated += 1;
    const whole = first ? mergedContacts(first, read) : read;
    found.set(read.entry.email, { ...whole, position: first?.position ?? position });
  });
  made.contacts = [...found.values()];
  return made;
}
