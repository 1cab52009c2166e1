import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readContact } from '../contacts/contact-rows.rules.js';
import { formOf } from '../read/forms.js';
import { rowsOf } from '../read/rows.js';
import { readSuppression } from '../suppressions/suppression-rows.rules.js';
import { CONTACTS } from './contact-exports.fixture.js';
import { SUPPRESSIONS } from './suppression-exports.fixture.js';
import { SOURCES } from './sources.js';
import type { ContactForm, Source, SuppressionForm } from './source.js';

const NOW = new Date('2026-11-27T12:00:00Z');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-exports-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written({ file, text }: { file: string; text: string }): Promise<{ path: string }> {
  const path = join(folder, file);
  await writeFile(path, text);
  return { path };
}

describe('suppressions', () => {
  it.each(SUPPRESSIONS)('of $source in $file', async (given) => {
    const { title, suppressions }: Source = SOURCES[given.source];
    const file = await written(given);
    const form = await formOf<SuppressionForm>(file, suppressions, given.as);
    expect(form.name).toBe(given.form);
    const read: string[] = [];
    for await (const row of rowsOf(file, form.rowsIn)) {
      const one = readSuppression(row, { form, title, domain: undefined, now: NOW });
      if (one.kind === 'refused') read.push(`${row.line}: ${one.reason}`);
      else if (one.kind === 'none') read.push('none');
      else read.push(`${one.entry.email} ${one.cause} ${one.entry.created_at ?? '-'} ${one.entry.reason}`);
    }
    expect(read).toEqual(given.gives);
  });

  it('have a case for each form of each table', () => {
    const cases = new Set(SUPPRESSIONS.map(({ source, form }) => `${source} ${form}`));
    const forms = Object.entries(SOURCES).flatMap(([name, { suppressions }]) =>
      suppressions.map((form) => `${name} ${form.name}`),
    );
    expect(forms.filter((form) => !cases.has(form))).toEqual([]);
  });

  it('are not guessed when a file may be one list or another', async () => {
    const file = await written({ file: 'either.csv', text: 'email,created\na@mail.test,1700000000\n' });
    await expect(formOf(file, SOURCES.sendgrid.suppressions, undefined)).rejects.toThrow(
      'the file may be spam_reports or unsubscribes: say which with --as',
    );
    await expect(formOf(file, SOURCES.sendgrid.suppressions, 'bounces')).rejects.toThrow(
      'the file has the columns email, created; needed are, for bounces: email, created, reason, status',
    );
    await expect(formOf(file, SOURCES.sendgrid.suppressions, 'nothing')).rejects.toThrow(
      '--as is one of bounces',
    );
  });
});

describe('contacts', () => {
  it.each(CONTACTS)('of $source in $file', async (given) => {
    const { title, contacts }: Source = SOURCES[given.source];
    const file = await written(given);
    const form = await formOf<ContactForm>(file, contacts, given.as);
    expect(form.name).toBe(given.form);
    const about = { form, title, list: 'News', confirmed: given.confirmed ?? false, attributes: new Map() };
    const read: unknown[] = [];
    for await (const row of rowsOf(file, form.rowsIn)) {
      const one = readContact(row, about);
      if (typeof one === 'string') read.push(one);
      else {
        const { email, ...entry } = one.entry;
        read.push([email, one.consent, one.lists.join(','), entry]);
      }
    }
    expect(read).toEqual(given.gives);
  });

  it('have a case for each form of each table', () => {
    const cases = new Set(CONTACTS.map(({ source, form }) => `${source} ${form}`));
    const forms = Object.entries(SOURCES).flatMap(([name, { contacts }]) =>
      (contacts as readonly ContactForm[]).map((form) => `${name} ${form.name}`),
    );
    expect(forms.filter((form) => !cases.has(form))).toEqual([]);
  });
});

describe('each table', () => {
  it.each(Object.entries(SOURCES))(
    'of %s names the pages that it is from, and each kind that is missing',
    (_, given) => {
      const source: Source = given;
      const forms = [
        ...source.suppressions,
        ...source.contacts,
        source.templates?.form,
        source.webhooks,
        source.records,
      ];
      for (const form of forms)
        if (form) expect(form).toMatchObject({ page: expect.stringMatching(/^https?:/), read: '2026-11-27' });
      const missing = [
        source.contacts.length === 0 ? 'contacts' : [],
        source.templates ? [] : 'templates',
        source.webhooks ? [] : 'webhooks',
        source.records ? [] : 'domains',
      ].flat();
      expect(Object.keys(source.without).toSorted()).toEqual(missing.toSorted());
    },
  );
});
