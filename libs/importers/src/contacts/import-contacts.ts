import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { listAll } from '../apply/pages.js';
import { addCounts, StateFile, type State } from '../apply/state-file.js';
import type { ApiTarget, OperatorTarget, ShowProgress } from '../apply/target.js';
import { SeenAddresses } from '../read/addresses.js';
import { formOf } from '../read/forms.js';
import { RefusedRows, type RefusedRow } from '../read/refused-rows.js';
import { rowsOf, type Row, type RowsFile } from '../read/rows.js';
import type { Consent, ContactForm, Source } from '../sources/source.js';
import {
  ATTRIBUTE_TYPES,
  isRefusing,
  mergedContacts,
  noConsents,
  noteTypes,
  readContact,
  type AttributeType,
  type ContactsAbout,
  type ReadContact,
} from './contact-rows.rules.js';

/** Entries of one request (spec 3-marketing §1.3). */
const BATCH = 1_000;
/** More contacts of an account are not compared. */
const MAX_COMPARED = 20_000;

const Contact = z.object({ email: z.string(), status: z.string(), unsubscribed: z.boolean() });
const Attributes = z.object({
  data: z.array(z.object({ key: z.string(), type: z.enum(ATTRIBUTE_TYPES) })),
});
const List = z.object({ id: z.string(), name: z.string() });
const Batch = z.object({
  created: z.number(),
  updated: z.number(),
  failed: z.number(),
  data: z.array(z.object({ position: z.number(), outcome: z.string(), reason: z.string().default('') })),
});

export interface ContactsReport {
  what: 'contacts';
  form: string;
  rows: number;
  taken: Record<Consent, number>;
  repeated: number;
  refused: number;
  first_refused: readonly RefusedRow[];
  /** with the number of contacts that would join */
  lists: Record<string, number>;
  /** those that the account does not define yet are marked */
  attributes: { key: string; type: AttributeType; defined: boolean }[];
  /** of a dry run; undefined when the account has too many to compare */
  would?: { create: number; update: number; stop_mail_to: number } | undefined;
  done?: Record<string, number>;
}

export interface ContactsJob {
  source: Source;
  file: RowsFile;
  as?: string | undefined;
  list?: string | undefined;
  confirmed: boolean;
  withoutAttributes: boolean;
  api: ApiTarget;
  /** undefined: attributes can be neither read nor defined */
  operator: OperatorTarget | undefined;
  progress: ShowProgress;
}

/** The effect of an import, without any write. @param compares with what the account has. @throws ApiError 400 */
export async function surveyContacts(job: ContactsJob, compares: boolean): Promise<ContactsReport> {
  const form = await formOf(job.file, job.source.contacts, job.as);
  const about = aboutOf(job, form, undefined);
  const existing = compares ? await existingContacts(job.api) : undefined;
  const seen = new SeenAddresses();
  const refusedRows = new RefusedRows();
  const taken = noConsents();
  const types = new Map<string, AttributeType>();
  const lists: Record<string, number> = {};
  const would = { create: 0, update: 0, stop_mail_to: 0 };
  let [rows, repeated] = [0, 0];
  for await (const row of rowsOf(job.file, form.rowsIn)) {
    rows += 1;
    const read = readContact(row, about);
    if (typeof read === 'string') {
      refusedRows.add(row, read);
      continue;
    }
    taken[read.consent] += 1;
    for (const name of read.lists) lists[name] = (lists[name] ?? 0) + 1;
    if (!job.withoutAttributes) noteTypes(types, row, form);
    if (!seen.add(read.entry.email)) repeated += 1;
    else if (existing) compare(would, existing.get(read.entry.email), read);
  }
  return {
    what: 'contacts',
    form: form.name,
    ...{ rows, taken, repeated, refused: refusedRows.count, first_refused: refusedRows.first, lists },
    attributes: await attributesOf(job, types),
    ...(existing ? { would } : {}),
  };
}

const aboutOf = (
  { source, list, confirmed }: ContactsJob,
  form: ContactForm,
  attributes: ContactsAbout['attributes'],
): ContactsAbout => ({ form, title: source.title, list, confirmed, attributes });

type Existing = ReadonlyMap<string, { isMailable: boolean }>;

async function existingContacts(api: ApiTarget): Promise<Existing | undefined> {
  const contacts = await listAll(api, '/contacts', Contact, MAX_COMPARED);
  return contacts && new Map(contacts.map((one) => [one.email, { isMailable: isMailable(one) }]));
}

const isMailable = ({ status, unsubscribed }: { status: string; unsubscribed: boolean }) =>
  status === 'enabled' && !unsubscribed;

function compare(
  would: { create: number; update: number; stop_mail_to: number },
  contact: { isMailable: boolean } | undefined,
  { consent }: ReadContact,
): void {
  if (!contact) would.create += 1;
  else {
    if (consent !== 'unconfirmed') would.update += 1;
    if (contact.isMailable && isRefusing(consent)) would.stop_mail_to += 1;
  }
}

async function attributesOf(
  { operator, withoutAttributes }: ContactsJob,
  types: ReadonlyMap<string, AttributeType>,
): Promise<ContactsReport['attributes']> {
  if (withoutAttributes || types.size === 0) return [];
  if (!operator) {
    throw new ApiError(
      400,
      `attributes (${[...types.keys()].join(', ')}) need the operator interface, which defines them: set POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN, or leave them out with --without-attributes`,
    );
  }
  const { data } = Attributes.parse(await operator.ask({ path: attributesPath(operator) }));
  const defined = new Map<string, AttributeType>(data.map(({ key, type }) => [key, type]));
  return [...types].map(([key, type]) => ({
    key,
    type: defined.get(key) ?? type,
    defined: defined.has(key),
  }));
}

const attributesPath = ({ accountId }: OperatorTarget) =>
  `/operator/marketing/accounts/${encodeURIComponent(accountId)}/attributes`;

/** Imports all rows from the last stored position on. @throws ApiError 400 */
export async function applyContacts(job: ContactsJob, survey: ContactsReport): Promise<ContactsReport> {
  const form = await formOf(job.file, job.source.contacts, job.as);
  await defineAttributes(job, survey);
  const about = aboutOf(job, form, job.withoutAttributes ? undefined : typesOf(survey));
  const lists = await listIds(job.api, Object.keys(survey.lists));
  const stateFile = new StateFile(job.file.path, `contacts ${form.name} ${job.list ?? ''} ${job.confirmed}`);
  const state = stateFile.read();
  const refusedRows = new RefusedRows();
  let rows = 0;
  let batch = new Map<string, Held>();
  const send = async (): Promise<void> => {
    await sendBatch(job.api, [...batch.values()], { lists, state, refusedRows });
    batch = new Map();
    state.rows = rows;
    stateFile.write(state);
    await job.progress({ done: rows, total: survey.rows, unit: 'rows' });
  };
  for await (const row of rowsOf(job.file, form.rowsIn)) {
    rows += 1;
    if (rows <= state.rows) continue;
    const read = readContact(row, about);
    if (typeof read === 'string') continue;
    const held = batch.get(read.entry.email);
    batch.set(read.entry.email, { row, read: held ? mergedContacts(held.read, read) : read });
    if (batch.size >= BATCH) await send();
  }
  if (batch.size > 0) await send();
  stateFile.remove();
  const { would: _would, ...rest } = survey;
  const refused = survey.refused + (state.counts['refused_by_server'] ?? 0);
  return {
    ...rest,
    refused,
    first_refused: [...survey.first_refused, ...refusedRows.first],
    done: state.counts,
  };
}

const typesOf = ({ attributes }: ContactsReport) => new Map(attributes.map(({ key, type }) => [key, type]));

async function defineAttributes({ operator }: ContactsJob, { attributes }: ContactsReport): Promise<void> {
  for (const { key, type, defined } of attributes) {
    if (defined || !operator) continue;
    await operator.ask({ method: 'POST', path: attributesPath(operator), body: { key, type } });
  }
}

/** The ids of lists by their names; those that the account does not have are created. @throws ApiError 400 */
async function listIds(api: ApiTarget, names: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const name of names) {
    const found = (await listAll(api, `/lists?name=${encodeURIComponent(name)}`, List, 1_000)) ?? [];
    const same = found.filter((list) => list.name === name);
    if (same.length > 1)
      throw new ApiError(400, `the account has ${same.length} lists named ${name}: rename all but one`);
    const list = same[0] ?? List.parse(await api.call('POST', '/lists', { name }));
    ids.set(name, list.id);
  }
  return ids;
}

interface Held {
  row: Row;
  read: ReadContact;
}

interface Sending {
  lists: ReadonlyMap<string, string>;
  state: State;
  refusedRows: RefusedRows;
}

/** One request for the contacts, and one for each list that some of them join. */
async function sendBatch(
  api: ApiTarget,
  held: readonly Held[],
  { lists, state, refusedRows }: Sending,
): Promise<void> {
  const sent = await withoutKnown(api, held, state);
  if (sent.length === 0) return;
  const body = { data: sent.map(({ read }) => read.entry) };
  const result = Batch.parse(await api.call('POST', '/contacts/batch', body, keyOf(state, body)));
  addCounts(state.counts, {
    created: result.created,
    updated: result.updated,
    refused_by_server: result.failed,
  });
  const failed = new Set<number>();
  for (const { position, outcome, reason } of result.data) {
    if (outcome !== 'failed') continue;
    failed.add(position);
    const row = sent[position]?.row;
    if (row) refusedRows.add(row, reason);
  }
  const joined = sent.filter((_, position) => !failed.has(position));
  for (const [name, id] of lists) {
    const data = joined
      .filter(({ read }) => read.lists.includes(name))
      .map(({ read }) => ({ email: read.entry.email }));
    if (data.length === 0) continue;
    const joining = await api.call(
      'POST',
      `/lists/${id}/contacts/batch`,
      { data },
      keyOf(state, { id, data }),
    );
    const { added } = z.object({ added: z.number() }).parse(joining);
    addCounts(state.counts, { joined_lists: added });
  }
}

/** After a kill the same request gets the same key, and its first response; another request, or another run, does not. */
const keyOf = ({ run, rows }: State, body: object): string =>
  `${run}-${rows}-${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32)}`;

/**
 * Without unconfirmed contacts whom the account has already: they may have confirmed here, and the file is older.
 */
async function withoutKnown(api: ApiTarget, held: readonly Held[], state: State): Promise<Held[]> {
  const sent: Held[] = [];
  for (const one of held) {
    if (one.read.consent === 'unconfirmed') {
      const found = await listAll(
        api,
        `/contacts?email=${encodeURIComponent(one.read.entry.email)}`,
        Contact,
        1,
      );
      if (found?.length !== 0) {
        addCounts(state.counts, { known_and_unconfirmed: 1 });
        continue;
      }
    }
    sent.push(one);
  }
  return sent;
}
