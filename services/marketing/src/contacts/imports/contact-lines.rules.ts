import { ApiError, parseBody } from '@postmesh/contracts';
import {
  jsonObject,
  lineError,
  readCsvColumns,
  recordAt,
  recordFields,
  type Delimiter,
  type ImportFormat,
  type LineChunk,
  type LineError,
} from '@postmesh/line-imports';
import type { ContactEntry } from '../apply-contacts.js';
import {
  ATTRIBUTE_KEY,
  ATTRIBUTE_TYPES,
  attributeOfText,
  readAttributes,
  type AttributeTypes,
} from '../attributes/attribute.rules.js';
import { CONTACT_FIELDS, contactFieldNames } from '../contact-fields.table.js';
import { CreateContactBody } from '../contact.schema.js';

/** Larger than a contact with a hundred long attributes. */
export const MAX_LINE_BYTES = 131_072;

const WRITTEN = contactFieldNames('written');
const FIELDS: readonly string[] = WRITTEN;
const BOOLEANS: readonly string[] = WRITTEN.filter((name) => CONTACT_FIELDS[name].sql === 'bool');
/** In exports alone: the choice of the contact, which no import changes. No key of an attribute has a dot. */
export const FREQUENCY_COLUMN = 'preferences.frequency';
// Further fields of the API and of an export, so that their output can be imported unchanged.
const PASSED_OVER = [
  'object',
  FREQUENCY_COLUMN,
  ...contactFieldNames('shown').filter((name) => !FIELDS.includes(name)),
];

/** A column of one attribute; its bare key is enough when no field has this name. */
export const ATTRIBUTE_COLUMN = 'attributes.';

/** @returns the columns in the first line of a CSV file. @throws ApiError 400 */
export function readContactColumns(line: string, types: AttributeTypes, delimiter?: Delimiter): string[] {
  const columnOf = (name: string): string | undefined => {
    if (FIELDS.includes(name) || PASSED_OVER.includes(name)) return name;
    const key = name.startsWith(ATTRIBUTE_COLUMN) ? name.slice(ATTRIBUTE_COLUMN.length) : name;
    return types.has(key) ? ATTRIBUTE_COLUMN + key : undefined;
  };
  return readCsvColumns(line, columnOf, (name) => knownColumns(name, types), delimiter);
}

function knownColumns(unknown: string, types: AttributeTypes): string {
  const key = unknown.replace(ATTRIBUTE_COLUMN, '');
  const attributes =
    types.size === 0
      ? 'the account has no attributes'
      : `the attributes of the account are ${[...types.keys()].join(', ')}`;
  const add = `npx postmesh attributes add ${ATTRIBUTE_KEY.test(key) ? key : '<key>'} <type> --account <account id>`;
  return `columns are ${FIELDS.join(', ')}; ${attributes}; \`${add}\` defines one, of type ${ATTRIBUTE_TYPES.join(', ')}`;
}

export interface ContactLines {
  entries: ContactEntry[];
  errors: LineError[];
  /** the line after the last one that was read */
  next: number;
}

export interface LinesAbout {
  format: ImportFormat;
  columns: readonly string[];
  types: AttributeTypes;
}

/** The contacts in the lines of a chunk, from one of them on. A blank line is ignored, and no error. */
export function readContactLines(about: LinesAbout, chunk: LineChunk, from: number): ContactLines {
  const { format } = about;
  const read: ContactLines = { entries: [], errors: [], next: from };
  for (const end = chunk.first + chunk.lines.length; read.next < end;) {
    const { text, lines } = recordAt(format, chunk, read.next, MAX_LINE_BYTES);
    if (text.trim() !== '') {
      const entry = readRecord(about, text);
      if (typeof entry === 'string') read.errors.push(lineError(format, read.next, text, entry));
      else read.entries.push(entry);
    }
    read.next += lines;
  }
  return read;
}

/** @returns a text for an invalid record: the reason */
function readRecord({ format, columns, types }: LinesAbout, text: string): ContactEntry | string {
  try {
    if (Buffer.byteLength(text) > MAX_LINE_BYTES) return `the line is longer than ${MAX_LINE_BYTES} bytes`;
    const given = format === 'csv' ? csvContact(recordFields(columns, text), types) : jsonContact(text);
    const input = parseBody(CreateContactBody, given);
    const attributes = readAttributes(types, input.attributes);
    // an import never reverts an unsubscribe, since a file is older than later unsubscribes
    return { ...input, attributes, unsubscribed: input.unsubscribed === true ? true : undefined };
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** @throws ApiError 400 */
function csvContact(fields: readonly [string, string][], types: AttributeTypes): object {
  const contact: Record<string, unknown> = {};
  const attributes: [string, unknown][] = [];
  for (const [column, value] of fields) {
    const trimmed = value.trim();
    if (trimmed === '' || PASSED_OVER.includes(column)) continue;
    if (column.startsWith(ATTRIBUTE_COLUMN)) {
      const key = column.slice(ATTRIBUTE_COLUMN.length);
      attributes.push([key, attributeOfText(types.get(key), value)]);
    } else if (column === 'attributes') attributes.push(...Object.entries(jsonObject(trimmed, column)));
    else contact[column] = attributeOfText(BOOLEANS.includes(column) ? 'boolean' : 'string', value);
  }
  if (attributes.length > 0) contact['attributes'] = Object.fromEntries(attributes);
  return contact;
}

function jsonContact(text: string): object {
  const given = Object.entries(jsonObject(text, 'the line'));
  return Object.fromEntries(given.filter(([name]) => !PASSED_OVER.includes(name)));
}
