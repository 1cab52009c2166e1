import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BOUNDS, aboveBounds, countForms, formsIn, proseOf } from '../grammar.mjs';

const root = join(import.meta.dirname, '../..');
const formsOf = (path, text) => formsIn(proseOf(path, text)).map(({ form }) => form);

describe('the grammar lint', () => {
  /** @type {[path: string, text: string, forms: string[]][]} */
  const bad = [
    ['a.ts', '// Who waits gets a permit.', ['clause as subject']],
    ['a.ts', '/** A claim. What is due comes first. */', ['clause as subject']],
    ['a.ts', '/**\n * A claim.\n * What is due comes first.\n */', ['clause as subject']],
    [
      'a.ts',
      '/**\n * @returns {string} Whoever asks gets it\n */',
      ['clause as subject', 'nobody, somebody'],
    ],
    ['a.ts', 'const a = 1; // Of these one is due', ['fronted Of']],
    ['a.md', '- What is sent waits.\n- Of ten, one fails.', ['clause as subject', 'fronted Of']],
    ['a.md', '| row | **What is kept** is pruned |', ['clause as subject']],
    [
      'a.md',
      'The worker is told of it; the queue tells\nnobody.',
      ['told, tells', 'told, tells', 'nobody, somebody'],
    ],
    [
      'a.sql',
      "select 'x'; -- it stands beside the row, and goes on by itself",
      ['beside', 'by itself', 'stands', 'goes on'],
    ],
    ['a.yaml', 'a: b # everybody', ['nobody, somebody']],
    ['a.ts', "log.warn('What is due waits', `of ${one} row beside`);", ['clause as subject', 'beside']],
  ];
  for (const [path, text, forms] of bad) {
    it(`finds ${forms.join(', ')} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(formsOf(path, text).sort(), [...forms].sort()));
  }

  /** @type {[path: string, text: string][]} */
  const good = [
    ['a.ts', "const told = 'nobody waits'; // a worker renews its leases"],
    ['a.spec.ts', "const subject = 'nobody stands beside';"],
    ['a.ts', '// What happens when the lease ends?'],
    ['a.ts', '// The standing order stands for one call, of course. See what it does.'],
    ['a.md', '```\nWho is told\n```\n# What it costs\n\nThe field `told` of the row.'],
    ['a.json', '{ "who": "Who is told" }'],
  ];
  for (const [path, text] of good) {
    it(`finds nothing in ${JSON.stringify(text)}`, () => assert.deepEqual(formsOf(path, text), []));
  }

  it('counts per project, names the place, and fails above the bound only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'grammar-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const files = {
      'services/a/src/one.ts': 'export {};\n// Nobody waits.\n// A row stands here.\n',
      'libs/b/src/one.ts': '// fine\n',
      'README.md': 'It is told.\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const projects = countForms(folder);
    assert.deepEqual(
      projects.get('services/a')?.places.map((place) => place.split(',')[0]),
      ['services/a/src/one.ts:2: nobody', 'services/a/src/one.ts:3: stands'],
    );
    assert.equal(projects.get('services/a')?.lines, 2);
    assert.deepEqual(aboveBounds(projects, { 'services/a': 2, '.': 1 }), []);
    assert.match(
      aboveBounds(projects, { 'services/a': 1, '.': 1 })[0],
      /^services\/a: 2 places .* allowed: 1/,
    );
    assert.match(aboveBounds(projects, { 'services/a': 2 })[0], /^\.: 1 places .* allowed: 0/);
    assert.match(aboveBounds(projects, { 'services/a': 2, '.': 1, gone: 1 })[0], /^gone: /);
  });

  it('holds for this repository', () => assert.deepEqual(aboveBounds(countForms(root), BOUNDS), []));
});
