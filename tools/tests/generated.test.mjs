import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readTopology } from '../event-topology.mjs';
import { brokenEvents, generateFiles, staleFiles } from '../generated.mjs';

const roots = [];
after(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })));

function folderWith(files) {
  const root = mkdtempSync(join(tmpdir(), 'generated-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  return root;
}

function put(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('generated files', () => {
  it('describe every setting and every event version with examples', async () => {
    const files = await generateFiles();
    assert.match(files.get('docs/settings.md') ?? '', /POSTMESH_SECRET_KEYS/);
    const schema = JSON.parse(files.get('services/messages/contract/schemas/message-accepted.v1.json') ?? '');
    assert.equal(schema.properties.recipients.type, 'array');
    assert.equal(schema.examples.length, 1);
    assert.equal(schema.additionalProperties, undefined, 'readers let unknown fields pass');
  });

  it('are up to date when they are equal to the generated text', () => {
    const root = folderWith({ 'docs/settings.md': 'a\nb\n' });
    assert.deepEqual(staleFiles(new Map([['docs/settings.md', 'a\nb\n']]), root), []);
  });

  it('know no consumer of an event of no contract', () => {
    const root = folderWith({ 'services/messages/src/a.ts': "@Consumes(Gone, 'messages.gone')" });
    const contracts = { SERVICES: ['messages'], EVENTS: [] };
    assert.throws(() => readTopology(contracts, root), /messages consumes Gone, an event of no contract/);
  });

  it('are named with the first line that differs', () => {
    const root = folderWith({
      'docs/settings.md': 'a\nb\n',
      'services/messages/contract/schemas/gone.v1.json': '{}',
    });
    const files = new Map([
      ['docs/settings.md', 'a\nc\n'],
      ['services/messages/contract/schemas/new.v1.json', '{}'],
    ]);
    assert.deepEqual(staleFiles(files, root), [
      "docs/settings.md is out of date: line 2 is 'b', should be 'c'",
      'services/messages/contract/schemas/new.v1.json is missing',
      'services/messages/contract/schemas/gone.v1.json is made from nothing any more',
    ]);
  });
});

describe('an event version that was committed', () => {
  const path = 'services/messages/contract/schemas/thing.v1.json';
  const schema = (properties, required) =>
    JSON.stringify({ title: 'thing.v1', type: 'object', properties, required });
  const first = schema({ id: { type: 'string' } }, ['id']);
  const committed = (at = path) => {
    const root = folderWith({ [at]: first });
    const git = (...args) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@mail.test', ...args], {
        cwd: root,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    return { root, git };
  };

  it('may gain an optional field', () => {
    const { root } = committed();
    const now = schema({ id: { type: 'string' }, note: { type: 'string' } }, ['id']);
    assert.deepEqual(brokenEvents(new Map([[path, now]]), root), []);
  });

  it('may not change otherwise', () => {
    const { root } = committed();
    const now = schema({ id: { type: 'integer' } }, ['id']);
    assert.match(
      brokenEvents(new Map([[path, now]]), root).join('\n'),
      /thing.v1: data.id \(type\) was "string"/,
    );
  });

  it('may not be changed by the commit that CI checks either', () => {
    const { root, git } = committed();
    const now = schema({}, []);
    put(root, path, now);
    git('commit', '-q', '-a', '-m', 'second');
    assert.match(brokenEvents(new Map([[path, now]]), root).join('\n'), /thing.v1: data.id was removed/);
  });

  it('may not be changed by its move to another contract either', () => {
    const { root } = committed('libs/contracts/schemas/thing.v1.json');
    const now = schema({ id: { type: 'integer' } }, ['id']);
    assert.match(
      brokenEvents(new Map([[path, now]]), root).join('\n'),
      /thing.v1: data.id \(type\) was "string"/,
    );
  });

  it('may differ from a commit with another baseline', () => {
    const { root } = committed();
    put(root, 'libs/contracts/events-baseline.txt', '1\n');
    assert.deepEqual(brokenEvents(new Map([[path, schema({}, [])]]), root), []);
  });

  it('is not compared without a git history', () => {
    assert.deepEqual(brokenEvents(new Map([[path, first]]), folderWith({})), []);
  });
});
