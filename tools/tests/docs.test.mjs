import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CATALOGUE } from '../../libs/settings/dist/index.js';
import {
  filesNamed,
  findUntruths,
  listDocuments,
  MOST_FILES,
  MOST_TERMS,
  termsDefined,
  untruths,
} from '../docs.mjs';
import { metricsInCode } from '../observability.mjs';
import { COMMANDS } from '../operator-cli/commands.mjs';

const root = join(import.meta.dirname, '../..');
const compose = ['docker-compose.yml', 'deploy/single/compose.yml']
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');
const facts = {
  settings: new Set([
    ...Object.values(CATALOGUE).map(({ env }) => env),
    // variables of compose, which sets settings from them
    ...[...compose.matchAll(/\$\{(POSTMESH_\w+)/g)].map(([, name]) => name),
  ]),
  scripts: new Set(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)),
  commands: new Set([...Object.keys(COMMANDS), 'help']),
  metrics: metricsInCode(root),
};

describe('the documents', () => {
  it('name only files, settings, scripts, commands and metrics that exist', () => {
    assert.deepEqual(findUntruths(root, facts), []);
  });

  it('describe the rotation of every secret', () => {
    const [, text = ''] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split('### Every secret\n');
    const [section = ''] = text.split('\n## ');
    const secrets = Object.values(CATALOGUE).flatMap(({ env, secret }) => (secret ? [env] : []));
    const named = (env) =>
      section.includes(`\`${env.replace(/^\w+_DATABASE_URL$/, '<SERVICE>_DATABASE_URL')}\``);
    assert.ok(secrets.length > 10);
    assert.deepEqual(
      secrets.filter((env) => !named(env)),
      [],
    );
  });

  it(`describe the path of a message in at most ${MOST_FILES} files, named by their whole paths`, () => {
    const named = filesNamed(readFileSync(join(root, 'docs/flow.md'), 'utf8'));
    assert.ok(named.length > 20 && named.length <= MOST_FILES, `${named.length} files`);
    assert.deepEqual(
      named.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  it(`define at most ${MOST_TERMS} terms, each once`, () => {
    const terms = termsDefined(readFileSync(join(root, 'docs/glossary.md'), 'utf8'));
    assert.ok(terms.length > 20 && terms.length <= MOST_TERMS, `${terms.length} terms`);
    assert.equal(new Set(terms).size, terms.length);
  });

  it('name a file once for the count, also without its folder; no commands or types', () => {
    const text = '`libs/a` `libs/a/src/b.ts` `b.rules.ts` `libs/a` `npm run x` `AttemptOutcome` `deliveries`';
    assert.deepEqual(filesNamed(text), ['libs/a', 'libs/a/src/b.ts', 'b.rules.ts']);
  });

  it('define the terms of all tables, not the retired words', () => {
    const text = [
      '| Term | Meaning |\n| --- | --- |\n| place, room | a permit |\n| copy (of a template) | a state |',
      '| Term | Meaning |\n| ---- | --- |\n| lane | a priority |\n\n## Retired words\n\n| brass | metal |',
    ].join('\n\n');
    assert.deepEqual(termsDefined(text), ['place', 'room', 'copy (of a template)', 'lane']);
  });

  it('are found', () => {
    for (const path of ['README.md', 'CONTRIBUTING.md', 'docs/flow.md', 'docs/decisions/README.md']) {
      assert.ok(listDocuments(root).includes(path), path);
    }
  });

  const checked = (text) => untruths(text, { ...facts, root, path: 'docs/x.md' }).join('\n');
  /** @type {any[][]} */
  const cases = [
    ['a missing file', 'see `services/messages/src/no-such.ts`', /no-such\.ts does not exist/],
    ['a missing folder', 'see `libs/no-such`', /libs\/no-such does not exist/],
    ['a link without a target', 'see [this](no-such.md#part)', /no-such\.md#part leads nowhere/],
    ['an unknown setting', 'set POSTMESH_HTPP_PORT', /no setting POSTMESH_HTPP_PORT/],
    ['an unknown script', '`npm run no-such`', /no script no-such/],
    [
      'an unknown metric',
      '`postmesh_no_such_total`',
      /no source registers the metric postmesh_no_such_total/,
    ],
    ['an unknown command', '`npx postmesh no-such`', /no command no-such/],
  ];
  for (const [what, text, expected] of cases) {
    it(`would be refused with ${what}`, () => assert.match(checked(text), expected));
  }

  it('may name existing files, patterns and external links', () => {
    const text =
      '`libs/settings/src/catalogue.ts` `libs/*/src` [a](flow.md) [b](https://x.test) `POSTMESH_<SERVICE>_URL`';
    assert.equal(checked(text), '');
  });
});
