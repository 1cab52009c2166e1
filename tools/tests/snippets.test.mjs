import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listDocuments } from '../docs.mjs';
import { allSnippets, fencesBelow, fencesOf, missingOutput, scriptOf, snippetFaults } from '../snippets.mjs';

const root = join(import.meta.dirname, '../..');
const fence = (mark, text = 'true\n') => `\`\`\`${mark}\n${text}\`\`\`\n`;
const faults = (text) => snippetFaults('x.md', fencesOf(text));

describe('the snippets of the documents', () => {
  it('are executed by a test, or say why not', () => {
    const all = [...allSnippets(root)];
    assert.deepEqual(
      all.flatMap(([path, fences]) => snippetFaults(path, fences)),
      [],
    );
    assert.ok(all.flatMap(([, fences]) => fences).filter(({ words }) => words.startsWith('run')).length > 30);
  });

  it('have a beginning and an end', () => {
    const open = listDocuments(root).filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return (text.match(/^ *```/gm) ?? []).length !== 2 * fencesOf(text).length;
    });
    assert.deepEqual(open, []);
  });

  it('are found below a heading, until the next one of its level', () => {
    const text = `## A\n\n${fence('sh run', 'a\n')}\n### B\n\n${fence('sh run', 'b\n')}\n## C\n\n${fence('sh run', 'c\n')}`;
    const below = (heading) => fencesBelow(text, heading).map((one) => one.text.trim());
    assert.deepEqual([below('## A'), below('### B'), below('## C')], [['a', 'b'], ['b', 'c'], ['c']]);
    assert.throws(() => fencesBelow(text, '## D'), /no heading '## D'/);
  });

  it('are data where their language is', () => assert.deepEqual(faults(fence('json') + fence('')), []));

  /** @type {[string, string, RegExp][]} */
  const refused = [
    ['without a mark', fence('sh'), /x\.md:1: is neither executed nor says why not/],
    ['with an unknown mark', fence('sh norun'), /'norun' is no mark/],
    ['without a reason', fence('sh not-run=""'), /is no mark/],
    ['that writes a file for no command', fence('js file=a.mjs'), /no command names a\.mjs/],
    ['that is the output of nothing', fence('text output'), /is the output of no command/],
  ];
  for (const [what, text, expected] of refused)
    it(`would be refused ${what}`, () => assert.match(faults(text).join(), expected));

  const ran = (text, machine = {}) => {
    const fences = fencesOf(text);
    const script = scriptOf(fences, 'hi() { echo "hi $1"; }', machine);
    const { status, stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return { status, missing: missingOutput(fences, stdout) };
  };

  it('of a page share a shell, and are compared with their output', () => {
    const text = fence('sh run', 'A=ann\n') + fence('sh run', 'hi $A\n') + fence('text output', 'hi ann\n');
    assert.deepEqual(ran(text), { status: 0, missing: [] });
  });

  it('in a language that a machine may not have run where all of them are', () => {
    const text = fence('sh run later', 'hi ben\n') + fence('text output', 'hi ann\n');
    assert.deepEqual(ran(text), { status: 0, missing: [] });
    assert.match(ran(text, { hasAll: true }).missing.join(), /not printed: hi ann; printed: hi ben/);
    assert.equal(ran(fence('sh run later until=hi', 'false\n')).status, 0);
    assert.equal(ran(fence('sh run later', 'false\n'), { hasAll: true }).status, 1);
  });

  it('fail with the first command that fails, and with an output that was not printed', () => {
    assert.equal(ran(fence('sh run', 'false\n') + fence('sh run')).status, 1);
    assert.match(
      ran(fence('sh run', 'hi ben\n') + fence('text output', 'hi ann\n')).missing.join(),
      /not printed: hi ann/,
    );
  });
});
