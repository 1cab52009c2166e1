// @ts-check
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutated } from '../simulate/module-hooks.mjs';
import { isLinearizable } from '../simulate/keys/linearizable.rules.mjs';
import * as keys from '../simulate/keys/plan.mjs';
import { MUTATIONS } from '../simulate/mutations.mjs';
import { judge } from '../simulate/deliveries/oracle.rules.mjs';
import { lineOf, planOf } from '../simulate/deliveries/plan.mjs';
import { shrink } from '../simulate/shrink.mjs';
import { SMALLER } from '../simulate/smaller.table.mjs';

const ID = 'one';
const copy = (change = {}) => ({
  ...{ id: ID, owner: 'w1.1', begunAt: 10_000, kind: 'accepted', accountId: 'A' },
  ...{ key: 'm:a.test', source: 'warm' },
  ...{
    isTaken: true,
    endedAt: /** @type {number | undefined} */ (11_000),
    outcome: 'accepted',
    isOver: true,
    ...change,
  },
});
const event = (change = {}) => ({
  ...{ message_id: ID, outcome: 'delivered', attempt: 1, uncertain: false, at: 11_000 },
  ...change,
});

/** @param {Partial<import('../simulate/deliveries/oracle.rules.mjs').History>} change */
const rulesOf = (change) => {
  const message = { name: 'm1', account: 'A', domain: 'a.test' };
  const found = judge({
    plan: planOf(1, 1),
    messages: [{ message, id: ID, acceptedAt: 5_000 }],
    copies: [copy()],
    events: [event()],
    ...{ canceled: [], accountChanges: [], faults: [], left: [], uncaught: [], trace: [] },
    ...{ processes: ['w1.1', 'w2.1'], starts: [0, 0], start: 0, endedAt: 99_000, steps: 1, hash: 1 },
    ...change,
  });
  return [...new Set(found.map(({ rule }) => rule))];
};

test('a life in which a message arrives once and is recorded breaks no rule', () => {
  assert.deepEqual(rulesOf({}), []);
});

test('the verdict names the rule that is broken', () => {
  const uncertain = event({ outcome: 'deferred', uncertain: true });
  const again = copy({ begunAt: 60_000, endedAt: 61_000, owner: 'w2.1' });
  assert.deepEqual(rulesOf({ copies: [], events: [] }), ['lost']);
  assert.deepEqual(rulesOf({ canceled: [{ id: ID, at: 6_000 }] }), ['cancel']);
  assert.deepEqual(rulesOf({ events: [event(), event()] }), ['status']);
  assert.deepEqual(rulesOf({ events: [event(), uncertain] }), ['status']);
  assert.deepEqual(rulesOf({ copies: [copy(), again] }), ['record', 'result']);
  assert.deepEqual(rulesOf({ copies: [copy({ endedAt: 90_000 }), copy({ begunAt: 12_000 })] }), [
    'record',
    'lease',
  ]);
  assert.deepEqual(rulesOf({ left: [{ id: ID, state: 'leased', reason: '' }] }), ['ends']);
  const placed = Array.from({ length: 3 }, () => copy({ source: 'new', kind: 'deferred', isTaken: false }));
  assert.ok(rulesOf({ copies: placed }).includes('budget'));
  const suspended = [{ account: 'A', state: 'suspended', revision: 1, at: 1_000 }];
  assert.deepEqual(rulesOf({ accountChanges: suspended }), ['suspended']);
});

test('a second copy is allowed where the reply was lost and the attempt is recorded as uncertain', () => {
  const copies = [copy({ kind: 'cut-after' }), copy({ begunAt: 30_000, endedAt: 31_000 })];
  const events = [event({ outcome: 'deferred', uncertain: true }), event({ attempt: 2 })];
  assert.deepEqual(rulesOf({ copies, events }), []);
});

test('a plan is the same for the same seed, and each step has a line', () => {
  assert.deepEqual(planOf(4, 2), planOf(4, 2));
  assert.notDeepEqual(planOf(4, 2), planOf(4, 3));
  for (let life = 0; life < 50; life++)
    for (const step of planOf(4, life).steps) assert.match(lineOf(step), /^ *\d+\.\d{3} s {2}\w/);
});

test('a plan that fails shrinks to the steps that it takes', async () => {
  const plan = planOf(4, 2);
  const [first, last] = [plan.steps[0], plan.steps.at(-1)];
  const least = await shrink(plan, async ({ steps }) =>
    [first, last].every((step) => steps.includes(/** @type {any} */ (step))),
  );
  assert.deepEqual(least.steps, [...new Set([first, last])]);
});

test('each smaller bound and each mutation changes the built code that it names', () => {
  for (const change of [...SMALLER, ...MUTATIONS]) {
    const source = readFileSync(new URL(`../../${change.file}`, import.meta.url), 'utf8');
    const bounds = SMALLER.filter((one) => one !== change && one.file === change.file);
    const loaded = bounds.reduce(mutated, source);
    assert.notEqual(mutated(loaded, change), loaded);
  }
});

test('a plan of keys is the same for the same seed, and each step has a line', () => {
  assert.deepEqual(keys.planOf(4, 2), keys.planOf(4, 2));
  for (let life = 0; life < 50; life++)
    for (const step of keys.planOf(4, life).steps) assert.match(keys.lineOf(step), /^ *\d+\.\d{3} s {2}\w/);
});

const TIMES = { lease: 20, replay: 60, secretReplay: 15 };
/** @typedef {import('../simulate/keys/linearizable.rules.mjs').Op} Op */
/** @param {number} from @param {number} to @param {Partial<Op>} change @returns {Op} */
const op = (from, to, change) => ({
  ...{
    name: 'r1.1',
    key: 'k1',
    request: 'messages.send x',
    isSecret: false,
    from,
    to,
    end: to,
    owner: 'm1.1',
  },
  ...{ value: undefined, hasEffect: false, answer: 'none', got: undefined, ...change },
});
const made = (/** @type {string} */ value) =>
  /** @type {Partial<Op>} */ ({ answer: 'made', ends: 'made', value, got: value, hasEffect: true });
const replayed = (/** @type {string} */ got) => /** @type {Partial<Op>} */ ({ answer: 'replayed', got });
const other = { request: 'messages.send y' };

/** Histories of one key, and whether they are possible. @type {readonly [string, boolean, Op[]][]} */
const HISTORIES = [
  ['a run and its replay', true, [op(0, 10, made('a')), op(20, 30, replayed('a'))]],
  ['a replay before its run has begun', false, [op(0, 10, replayed('a')), op(20, 30, made('a'))]],
  ['a replay of something else', false, [op(0, 10, made('a')), op(20, 30, replayed('b'))]],
  ['two runs one after the other', false, [op(0, 10, made('a')), op(20, 30, made('b'))]],
  ['two runs at the same time', false, [op(0, 30, made('a')), op(10, 20, made('b'))]],
  ['a second run behind the replay', true, [op(0, 10, made('a')), op(60_001, 60_020, made('b'))]],
  ['busy while a run goes on', true, [op(0, 30, made('a')), op(10, 20, { answer: 'busy' })]],
  ['busy behind the run', false, [op(0, 10, made('a')), op(20, 30, { answer: 'busy' })]],
  ['busy without any run', false, [op(0, 10, { answer: 'busy' })]],
  ['a mismatch behind a run', true, [op(0, 10, made('a')), op(20, 30, { answer: 'mismatch', ...other })]],
  ['a mismatch of the same request', false, [op(0, 10, made('a')), op(20, 30, { answer: 'mismatch' })]],
  [
    'a lost answer of an effect, and its replay',
    true,
    [op(0, 10, { value: 'a', hasEffect: true }), op(20, 30, replayed('a'))],
  ],
  [
    'a lost answer of an effect, and another run',
    false,
    [op(0, 10, { value: 'a', hasEffect: true }), op(20, 30, made('b'))],
  ],
  [
    'a lost answer without an effect, and another run',
    true,
    [op(0, 10, { value: 'a' }), op(20, 30, made('b'))],
  ],
  [
    'a 4xx of a run that another has overtaken',
    true,
    [op(0, 50, { ...made('a'), ends: 'refused', hasEffect: false }), op(20, 30, made('b'))],
  ],
  [
    'a lost answer that holds the key, and then a run',
    true,
    [op(0, 100, { value: 'a' }), op(20, 30, { answer: 'busy' }), op(40, 50, made('b'))],
  ],
  ['a replay of what has no effect', false, [op(0, 10, { value: 'a' }), op(20, 30, replayed('a'))]],
  [
    'a replay that comes before the answer of its run',
    true,
    [op(0, 100, made('a')), op(20, 30, replayed('a'))],
  ],
];

test('the checker of keys knows possible histories from others', () => {
  for (const [name, isPossible, ops] of HISTORIES) assert.equal(isLinearizable(ops, TIMES), isPossible, name);
});
