import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  contractRules,
  namesIn,
  readContractRules,
  rulesWithoutTest,
  testNames,
  WAITING,
} from '../contract-rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

test('every rule of the platform part of the contract has a test that is named after it', () => {
  const missing = rulesWithoutTest(readContractRules(root), testNames(root));
  assert.deepEqual(missing, Object.keys(WAITING));
});

test('a rule waits only for as long as nothing can be asked about it', () => {
  const operations = readFileSync(join(root, 'libs/contracts/src/http/operations.ts'), 'utf8');
  for (const [rule, prefixes] of Object.entries(WAITING)) {
    const served = prefixes.filter((prefix) => operations.includes(`'${prefix}`));
    assert.deepEqual(served, [], `${rule} needs its test now`);
  }
});

test('a rule that no test names is told', () => {
  const rules = ['§1.1 rule 1', '§1.1 rule 2', '§1.1 rule 10', '§11 rule 1', '§2.5 table suspended', '§6'];
  const source = `
    // §1.1 rule 2 is only spoken of
    it('§1.1 rule 10 is another one', () => {});
    it.each([1])(\`§11 rule 1, §2.5 table suspended: names two, case %i\`, () => {});
    it('speaks of §6 in the middle', () => {});`;
  assert.deepEqual(rulesWithoutTest(rules, namesIn(source)), ['§1.1 rule 1', '§1.1 rule 2', '§6']);
});

test('the rules are those of the document, up to section 10', () => {
  const text = `
## §1 Conventions
### §1.1 Wire format
1. JSON.
2. Objects.
### §1.4 Errors
- **table 401** who are you
1. Never 412.
### §1.5 Nothing numbered
- not labelled
## §9 Keys
### §9 update
1. Optional.
## §11 Domains
1. Not of these.`;
  assert.deepEqual(contractRules(text), [
    '§1.1 rule 1',
    '§1.1 rule 2',
    '§1.4 table 401',
    '§1.4 rule 1',
    '§1.5',
    '§9 update rule 1',
  ]);
});
