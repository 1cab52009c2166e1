import { ApiError } from '@postmesh/contracts';
import { addressOf } from '../read/addresses.js';
import { fieldOf, type Row } from '../read/rows.js';
import { CONSENTS, type ByColumn, type Consent, type ContactForm } from '../sources/source.js';

/** An entry of `POST …/contacts/batch` (spec 3-marketing §1.3). */
interface ContactEntry {
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly status?: 'blocked' | 'disabled';
  readonly status_reason?: string;
  readonly unsubscribed?: true;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface ReadContact {
  readonly consent: Consent;
  readonly entry: ContactEntry;
  /** names of the lists that it joins; none for a contact that is not mailable */
  readonly lists: readonly string[];
}

export const ATTRIBUTE_TYPES = ['string', 'number', 'boolean', 'date', 'timestamp'] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

export interface ContactsAbout {
  readonly form: ContactForm;
  /** of the service */
  readonly title: string;
  /** a list for all of them */
  readonly list: string | undefined;
  /** the operator says that the unconfirmed contacts of this file did confirm */
  readonly confirmed: boolean;
  /** without it, attributes are left out */
  readonly attributes: ReadonlyMap<string, AttributeType> | undefined;
}

const MAX_NAME = 255;
const MAX_TEXT = 1_000;
/** As many as an account may define. */
const MAX_ATTRIBUTES = 100;

/** Contacts by their consent: none yet. */
export const noConsents = (): Record<Consent, number> =>
  Object.fromEntries(CONSENTS.map((consent) => [consent, 0])) as Record<Consent, number>;

/**
 * Fields that make a contact not mailable (spec 3-marketing §1.4). Nothing here makes one mailable: a field that is not sent
 * changes nothing, so that a contact who unsubscribed here stays so.
 */
const STATES: Readonly<Record<Consent, (title: string) => Partial<ContactEntry>>> = {
  subscribed: () => ({}),
  unsubscribed: () => ({ unsubscribed: true }),
  unconfirmed: (title) => ({ status: 'disabled', status_reason: `not confirmed at ${title}` }),
  bounced: (title) => ({ status: 'blocked', status_reason: `bounced at ${title}` }),
  blocked: (title) => ({ status: 'blocked', status_reason: `blocked at ${title}` }),
  disabled: (title) => ({ status: 'disabled', status_reason: `disabled at ${title}` }),
};

/** @returns a text for a row that cannot be taken: the reason */
export function readContact(row: Row, about: ContactsAbout): ReadContact | string {
  const { form, title } = about;
  if (row.problem !== undefined) return row.problem;
  const email = addressOf(row.value(form.email));
  if (email === undefined) return `${form.email} is not an email address`;
  const given = consentOf(row, form.consent);
  if (typeof given === 'object') return given.unknown;
  const stated =
    given === 'unconfirmed' && about.confirmed && form.mayBeConfirmed === true ? 'subscribed' : given;
  const { consent, lists } = membershipsOf(row, form, stated);
  const entry = {
    email,
    ...namesOf(row, form),
    ...STATES[consent](title),
    ...attributesOf(row, about),
  };
  const joined =
    consent === 'subscribed' ? [...new Set([...(about.list ? [about.list] : []), ...lists])] : [];
  return { consent, entry, lists: joined };
}

function consentOf(row: Row, consent: Consent | ByColumn<Consent>): Consent | { unknown: string } {
  if (typeof consent === 'string') return consent;
  const given = String(row.value(consent.column) ?? '').trim();
  const found = Object.hasOwn(consent.values, given.toLowerCase())
    ? consent.values[given.toLowerCase()]
    : undefined;
  return (
    found ?? {
      unknown: `${consent.column} is '${given.slice(0, 40)}', which is none of ${Object.keys(consent.values).join(', ')}`,
    }
  );
}

/**
 * The lists that it is on. Where a list has a status of its own, only the joined ones count, and a contact that joined none
 * is what its other lists say.
 */
function membershipsOf(
  row: Row,
  { lists: given }: ContactForm,
  consent: Consent,
): { consent: Consent; lists: string[] } {
  const found = given === undefined ? undefined : row.value(given.column);
  // in a cell it is JSON
  const items = typeof found === 'string' ? parsed(found) : found;
  if (given === undefined || !Array.isArray(items)) return { consent, lists: [] };
  const { of } = given;
  if (of === undefined)
    return { consent, lists: items.map((item) => `${given.word} ${String(item)}`.trim()) };
  const read = items.map((item) => ({
    name: String(fieldOf(item, of.name) ?? ''),
    status: String(fieldOf(item, of.status) ?? ''),
  }));
  const joined = read.filter(({ status }) => status === of.joined).map(({ name }) => name);
  if (consent !== 'subscribed' || joined.length > 0)
    return { consent, lists: joined.filter((name) => name !== '') };
  const left = read.length > 0 && read.every(({ status }) => status === 'unsubscribed');
  return { consent: left ? 'unsubscribed' : 'unconfirmed', lists: [] };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).replace(/\s+/g, ' ').trim() : '';
const cut = (text: string, most: number): string => Array.from(text).slice(0, most).join('');

function namesOf(row: Row, { firstName, lastName, fullName }: ContactForm): Partial<ContactEntry> {
  const whole = fullName === undefined ? [] : textOf(row.value(fullName)).split(' ');
  const first = firstName === undefined ? (whole[0] ?? '') : textOf(row.value(firstName));
  const last = lastName === undefined ? whole.slice(1).join(' ') : textOf(row.value(lastName));
  return {
    ...(first === '' ? {} : { first_name: cut(first, MAX_NAME) }),
    ...(last === '' ? {} : { last_name: cut(last, MAX_NAME) }),
  };
}

const RESERVED = new Set(['email', 'first_name', 'last_name', 'unsubscribe_url', 'view_browser_url']);

/** The key of an attribute for a column: `Birth Date` is `birth_date`. */
export function attributeKey(column: string): string {
  const plain = column
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const key = /^[a-z]/.test(plain) && !RESERVED.has(plain) ? plain : `field_${plain}`;
  return key.slice(0, 64);
}

/** The columns of a row that are attributes, with what is in them. */
function attributeValues(row: Row, form: ContactForm): [column: string, value: unknown][] {
  const passed = new Set((form.passedOver ?? []).map((name) => name.toLowerCase()));
  const isAttribute = (column: string) => !passed.has(column.toLowerCase());
  if (form.attributes !== undefined) {
    const given = row.value(form.attributes);
    const object = typeof given === 'string' ? parsed(given) : given;
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return [];
    return Object.entries(object).filter(([column]) => isAttribute(column));
  }
  const own = [form.email, form.firstName, form.lastName, form.fullName, form.lists?.column];
  if (typeof form.consent === 'object') own.push(form.consent.column);
  for (const name of own) if (name !== undefined) passed.add(name.toLowerCase());
  return row.columns.filter(isAttribute).map((column) => [column, row.value(column)]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function attributesOf(row: Row, { form, attributes: types }: ContactsAbout): Partial<ContactEntry> {
  if (types === undefined) return {};
  const read = attributeValues(row, form).flatMap(([column, given]) => {
    const key = attributeKey(column);
    const value = attributeValue(given, types.get(key) ?? 'string');
    return value === undefined ? [] : [[key, value] as const];
  });
  return read.length === 0 ? {} : { attributes: Object.fromEntries(read) };
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  1: true,
  0: false,
};

/** @returns undefined for an empty cell. A value that is not of the type stays text, and is refused as such. */
function attributeValue(given: unknown, type: AttributeType): unknown {
  if (given === undefined || given === null || given === '') return undefined;
  if (type === 'string') {
    const text = typeof given === 'object' ? JSON.stringify(given) : String(given);
    return cut(text.replaceAll('\u0000', ''), MAX_TEXT);
  }
  if (typeof given !== 'string') return given;
  const text = given.trim();
  if (type === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return FLAGS[text.toLowerCase()] ?? text;
  return text;
}

/** Keeps the type of each attribute of a row. @throws ApiError 400 for too many of them */
export function noteTypes(types: Map<string, AttributeType>, row: Row, form: ContactForm): void {
  for (const [column, value] of attributeValues(row, form)) {
    if (value === undefined || value === null || value === '') continue;
    const key = attributeKey(column);
    const type = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string';
    const known = types.get(key);
    // values of several types are texts
    types.set(key, known === undefined || known === type ? type : 'string');
    if (types.size > MAX_ATTRIBUTES) {
      throw new ApiError(400, `the file has more than ${MAX_ATTRIBUTES} attributes: leave columns out of it`);
    }
  }
}

const MAY_STAY: readonly Consent[] = ['subscribed', 'unconfirmed'];
/** It is a reason not to write to a contact who can be written to. */
export const isRefusing = (consent: Consent): boolean => !MAY_STAY.includes(consent);

/** Two rows of an address: the values of the later one, and each reason not to write to it. */
export function mergedContacts(first: ReadContact, second: ReadContact): ReadContact {
  const { status: _a, status_reason: _b, unsubscribed: _c, ...plain } = { ...first.entry, ...second.entry };
  const both = [first, second];
  const stops = both.filter(({ consent }) => isRefusing(consent));
  const decisive =
    stops.length > 0 ? stops : both.filter(({ consent }) => consent === 'subscribed').slice(0, 1);
  const states = (decisive.length > 0 ? decisive : [first]).map(
    ({ entry: { status, status_reason, unsubscribed } }) => ({
      ...(status === undefined ? {} : { status, status_reason }),
      ...(unsubscribed === undefined ? {} : { unsubscribed }),
    }),
  );
  const consent = decisive[0]?.consent ?? first.consent;
  const lists = consent === 'subscribed' ? [...new Set([...first.lists, ...second.lists])] : [];
  return { consent, entry: Object.assign({}, plain, ...states) as ContactEntry, lists };
}
