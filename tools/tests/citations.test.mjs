import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBrokenCitations, readDocument } from '../citations.mjs';

const CONTRACT = `# Part
## §4 Idempotency
### §4.2 Identity
1. Namespace.
2. Fingerprint.
### §4.3 States
- **table** of states
- **table 409** in progress
- **U12** a label
## §9 Keys
### §9 update
1. Optional.
## §18 Wire
1. POST.
2. Id.
3. Key.
`;
const DOCUMENTS = {
  'docs/contract/0-interface.md': '## §1 Service\n',
  'docs/contract/1-platform.md': CONTRACT,
  'docs/contract/2-messages.md': CONTRACT,
  'docs/contract/3-marketing.md': '## §0 Conventions\n1. Path.\n',
  'docs/architecture.md': '## §3 Message\n1. HTTP.\n',
};

const roots = [];
after(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })));

function broken(files) {
  const root = mkdtempSync(join(tmpdir(), 'citations-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...DOCUMENTS, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return findBrokenCitations(root);
}

describe('citations', () => {
  const good = [
    '// spec 1-platform §4.2 rule 1',
    '// Spec 2-messages §18.2-3, §4.2 rules 1 and 2, §9 update rule 1',
    '/**\n * Over two lines (spec 1-platform\n * §4.2 rules 1\n * and 2).\n */',
    '// spec 2-messages §4.3 U12, architecture §3.1',
    '// architecture §3 item 1',
    '// RFC 5321 §4.5.3.1, §99.9 and RFC 2045\n// §6.7 are not ours; spec 1-platform §4.3 table 409',
    '// spec 2-messages §4.2\n// the same document: §18.1',
    "it('§4.2 rule 2 begins a text', () => {});",
  ];
  for (const text of good) {
    it(`resolve: ${JSON.stringify(text)}`, () => assert.deepEqual(broken({ 'libs/a/src/a.ts': text }), []));
  }

  const bad = [
    ['// spec 1-platform §4.9', '§4.9 is no section'],
    ['// spec 1-platform §4.2 rule 3', '§4.2 rule 3: there is none'],
    ['// spec 1-platform §4.2 rules 1 and 3', '§4.2 rule 3: there is none'],
    ['// spec 2-messages §18.4', 'no rule 4'],
    ['// spec 2-messages §18.2-4', 'no rule 4'],
    ['// spec 1-platform §4.3 table 418', 'table 418: there is none'],
    ['// spec 1-platform §4.3 U13', 'U13: there is none'],
    ['// architecture §7', '§7 is no section'],
    ['// (§4.2)', 'names no document'],
    ['// spec §4.2', 'is no document here'],
    ['// 1-platform §4.2', 'is no document here'],
    ['// style.md §4', 'is no document here'],
    ['// spec 0-interface, Service', 'names no section'],
    ['// spec 1-platform §4.2, spec 2-messages §4.2; which one is §4.3?', 'names no document'],
  ];
  for (const [text, expected] of bad) {
    it(`do not resolve: ${text}`, () => {
      const problems = broken({ 'libs/a/src/a.ts': `\n${text}\n` });
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(problems[0].startsWith('libs/a/src/a.ts:2: '), problems[0]);
      assert.ok(problems[0].includes(expected), problems[0]);
    });
  }

  it('are of 1-platform in tests, and of a document itself inside it', () => {
    assert.deepEqual(
      broken({
        'libs/a/src/a.spec.ts': '// spec 3-marketing §0, but §4.2 rule 2 is of 1-platform',
        'docs/architecture.md': '## §3 Message\n1. See §3.1.\n',
      }),
      [],
    );
    assert.equal(broken({ 'libs/a/src/a.spec.ts': "it('§18.9 is wrong', () => {});" }).length, 1);
    assert.equal(broken({ 'docs/architecture.md': '## §3 Message\n1. See §4.\n' }).length, 1);
  });

  it('need documents in order: nothing twice, none missing', () => {
    const { problems } = readDocument('## §1 A\n1. One.\n1. Two.\n## §1 Again\n');
    assert.deepEqual(problems, ['3: 1 is listed twice in its section', '4: §1 is listed twice']);
  });

  it('of this repository resolve', () => {
    const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
    assert.deepEqual(findBrokenCitations(root), []);
  });
});
