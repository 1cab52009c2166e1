// @ts-check
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutated } from '../simulate/module-hooks.mjs';
import { MUTATIONS } from '../simulate/mutations.table.mjs';
import { judge } from '../simulate/oracle.rules.mjs';
import { lineOf, planOf } from '../simulate/plan.mjs';
import { shrink } from '../simulate/shrink.mjs';

const ID = 'one';
const copy = (change = {}) => ({
  ...{ id: ID, owner: 'w1.1', begunAt: 10_000, kind: 'accepted', accountId: 'A', key: 'm:a.test' },
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

/** @param {Partial<import('../simulate/oracle.rules.mjs').History>} change */
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

test('each mutation changes the built code that it names', () => {
  for (const mutation of MUTATIONS) {
    const source = readFileSync(new URL(`../../${mutation.file}`, import.meta.url), 'utf8');
    assert.notEqual(mutated(source, mutation), source);
  }
});
