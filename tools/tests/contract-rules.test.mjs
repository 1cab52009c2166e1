import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  contractRules,
  MARKETING,
  MESSAGES,
  namesIn,
  PLATFORM,
  provenTwice,
  readContractRules,
  rulesWithoutTest,
  servedMeanwhile,
  testNames,
  WAITING,
} from '../contract-rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

test('every rule of the contract that is served has a test that is named after it', () => {
  const missing = rulesWithoutTest(readContractRules(root), testNames(root));
  assert.deepEqual(missing, Object.keys(WAITING));
});

// the file of a test that proves a rule again has a comment about the part that the contract's tests cannot show
test('no rule is proven at two levels without a reason', () => {
  assert.deepEqual(provenTwice(root), []);
});

test('a rule waits only while its operations are not served', () => {
  assert.deepEqual(servedMeanwhile(root), [], 'these need their tests now');
  const file = 'libs/contracts/src/http/operations.ts';
  const waiting = {
    served: { file, lacks: "'webhooks." },
    gone: { file, has: 'what never stood there' },
    waits: { file, has: 'ping:', lacks: "'what is not served." },
  };
  assert.deepEqual(servedMeanwhile(root, waiting), ['served', 'gone']);
});

test('a rule without a test is reported', () => {
  const rules = ['§1.1 rule 1', '§1.1 rule 2', '§1.1 rule 10', '§11 rule 1', '§2.5 table suspended', '§6'];
  const source = `
    // §1.1 rule 2 is only spoken of
    it('§1.1 rule 10 is another one', () => {});
    it.each([1])(\`§11 rule 1, §2.5 table suspended: names two, case %i\`, () => {});
    it('speaks of §6 in the middle', () => {});
    it('spec 2-messages §6, §11 rule 1: of another part', () => {});`;
  assert.deepEqual(rulesWithoutTest(rules, namesIn(source)), ['§1.1 rule 1', '§1.1 rule 2', '§6']);
  const others = ['§6', '§11 rule 1', '§1.1 rule 10'].map((rule) => `${MESSAGES.prefix}${rule}`);
  assert.deepEqual(rulesWithoutTest(others, namesIn(source)), ['spec 2-messages §1.1 rule 10']);
});

test('a section counts for all labels behind it', () => {
  const rules = ['§1.5 C1', '§1.5 C2', '§1.5 C7', '§1.5 C8', '§2.3 L1', '§2.3 L3'].map(
    (rule) => `${MARKETING.prefix}${rule}`,
  );
  const source = `it('${MARKETING.prefix}§1.5 C1, C2 and C7, §2.3 L1: and C8 is only spoken of');
    it('§2.3 L3: of another part')`;
  assert.deepEqual(rulesWithoutTest(rules, namesIn(source)), [rules[3], rules[5]]);
});

test('the rules are those of the document, except settings', () => {
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
## §12 SMTP
1. Ports.
## §13 Routes
1. Inbound.
### §13.1 Resource
## §15 Statistics
1. Buckets.
## §16 Settings
1. Nor these.`;
  assert.deepEqual(contractRules(text, PLATFORM), [
    '§1.1 rule 1',
    '§1.1 rule 2',
    '§1.4 table 401',
    '§1.4 rule 1',
    '§1.5',
    '§9 update rule 1',
    '§12 rule 1',
    '§13 rule 1',
    '§13.1',
    '§15 rule 1',
  ]);
});
