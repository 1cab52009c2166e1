import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findRetiredWords, readRetiredWords, retiredIn, summaryOf } from '../vocabulary.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const retired = readRetiredWords(glossary);
const found = (text) => retiredIn(text, retired).map((one) => one.found);

const roots = [];
after(() => roots.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('the vocabulary', () => {
  it('reads words, what to say instead and what is allowed from the glossary', () => {
    const letter = retired.find(({ forms }) => forms.some(([word]) => word === 'letter'));
    assert.match(letter?.say ?? '', /^message/);
    assert.ok(letter?.allowed.some((phrase) => phrase.join(' ') === 'dead letter'));
    assert.ok(retired.length >= 15);
    for (const { forms, say } of retired) assert.ok(forms.length > 0 && say !== '', JSON.stringify(forms));
  });

  /** @type {any[][]} */
  const bad = [
    ['// Puts a letter into the queue.', ['letter']],
    ['const signedLetter = compose(LETTERS, letter_id);', ['letter', 'letters', 'letter']],
    ['// the dead letters and a letter', ['letter']],
    ['// Dead. A letter of its own', ['letter']],
    ['export const hears = [];', ['hears']],
    ["import { OnDeed } from './noted-deeds.js';", ['deed', 'deeds']],
    ['create table hand_zones (id uuid)', ['hand zones']],
    ['const handZones = 1;', ['hand zones']],
    ['// a wake\n// call, a wake-alarm, wakeCalls', ['wake call', 'wake alarm', 'wake calls']],
    ['Refusals.notFound(); class SmtpDoor {}', ['refusals', 'door']],
    ['`create index deliveries_shelves on deliveries (due_at)`', ['shelves']],
    ['/** Which calls are owed. */', ['owed']],
  ];
  for (const [text, words] of bad) {
    it(`finds ${words.join(', ') || 'nothing'} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(found(text), words));
  }

  const good = [
    'deadLetter, dead_letters, DeadLetter, DEAD_LETTER, dead-letters.consumer.ts',
    '// dead\n * letters stay in the schema',
    '// in any letter case; lower-case letters, digits and hyphens; letters and digits',
    '// the letters of the alphabet',
    'newsletter, outdoor, planes, flowed, shared, behaviours, indeed, message, MIME message',
    'const hand = 1; // zones',
  ];
  for (const text of good) {
    it(`finds nothing in ${JSON.stringify(text)}`, () => assert.deepEqual(found(text), []));
  }

  it('checks names of files too, reports the places, and can be limited to some folders', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vocabulary-'));
    roots.push(folder);
    const files = {
      'docs/glossary.md': glossary,
      'services/a/src/compose-letter.ts': 'export {};\n',
      'services/a/src/good.ts': '// A message waits.\n',
      'services/a/dist/made.ts': '// letter\n',
      'libs/b/src/one.sql': '-- fine\nselect 1; -- a shelf\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const lines = (paths) =>
      findRetiredWords(folder, paths).map((one) => `${one.path}:${one.line} ${one.found}`);
    assert.deepEqual(lines([]), ['libs/b/src/one.sql:2 shelf', 'services/a/src/compose-letter.ts:0 letter']);
    assert.deepEqual(lines(['libs/b']), ['libs/b/src/one.sql:2 shelf']);
    assert.deepEqual(lines(['services/a/src/good.ts']), []);
    assert.deepEqual(summaryOf(findRetiredWords(folder)), [
      'libs/b: 1 (shelf 1)',
      'services/a: 1 (letter 1)',
    ]);
  });

  it('is in the glossary, which does not use it, nor does the contract', () => {
    assert.deepEqual(found(glossary.split('## Retired words')[0]), []);
    assert.deepEqual(findRetiredWords(root, ['docs/contract', 'docs/architecture.md']), []);
  });
});
