// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../simulate/log/oracle.rules.mjs';
import { lineOf, planOf } from '../simulate/log/plan.mjs';

/** @typedef {import('../simulate/log/oracle.rules.mjs').History} History */
/** @typedef {import('../simulate/log/plan.mjs').Kind} Kind */

/** @param {number} n @param {Kind} [kind] @returns {import('../simulate/log/plan.mjs').Planned} */
const planned = (n, kind = 'fine') => ({ n, of: 'happened', key: 'k1', kind });
/** @param {number} n @returns {import('../simulate/log/oracle.rules.mjs').Appended} */
const appended = (n) => ({
  ...{ stream: 'accounts', position: n, at: 1_000 },
  event: { id: `event-${n}`, type: 'thing-happened', key: 'k1', data: { n } },
});
const effect = (/** @type {number} */ n, at = 2_000) => ({ group: 'messages', n, at });
const givenUp = (/** @type {number} */ n, reason = 'Error: a bug') => ({
  ...{ group: 'messages', eventId: `event-${n}`, kind: 'bug', reason },
});
const PLAN = { ...planOf(1, 1), isLosable: false, isCalm: false, steps: [] };
const UNDONE = { ...writingOf([planned(9)]), name: 't2', isUndone: true };

/** @param {import('../simulate/log/plan.mjs').Planned[]} events */
function writingOf(events) {
  return { name: 't1', events, dropped: [planned(8)], isUndone: false, ms: 1 };
}

/** A life in which t1 writes two events, the second one of this kind. @param {Partial<History>} [change] @param {Kind} [kind] */
function rulesOf(change, kind = 'fine') {
  const writing = writingOf([planned(1), planned(2, kind)]);
  const owner = { name: 'w1.1', isAlive: true };
  const found = judge({
    plan: { ...PLAN, steps: [{ at: 1_000, kind: 'write', worker: 'w1', writing }] },
    written: [
      { writing, owner, end: 'done' },
      { writing: UNDONE, owner, end: 'undone' },
    ],
    ...{ changes: ['t1'], appended: [appended(1), appended(2)], trimmed: [], seen: [], groups: ['messages'] },
    ...{
      effects: [effect(1), effect(2)],
      dead: [],
      unhandled: [],
      untrimmed: [],
      batches: 1,
      isWithin: false,
    },
    ...{ faults: [], uncaught: [], trace: [], start: 0, endedAt: 100_000, steps: 1, hash: 1 },
    ...change,
  });
  return [...new Set(found.map(({ rule }) => rule))];
}

test('a life in which two events are written and handled breaks no rule', () => {
  assert.deepEqual(rulesOf({}), []);
  assert.deepEqual(rulesOf({ effects: [effect(1)], dead: [givenUp(2)] }, 'permanent'), []);
});

test('the verdict about the log names the rule that is broken', () => {
  assert.deepEqual(rulesOf({ unhandled: [{ group: 'messages', n: 2 }] }), ['skipped']);
  assert.deepEqual(rulesOf({ effects: [effect(1), effect(2), effect(2)] }), ['twice']);
  assert.deepEqual(rulesOf({ effects: [effect(2), effect(1)] }), ['order']);
  assert.deepEqual(rulesOf({ effects: [effect(1)], dead: [givenUp(2)] }), ['dead']);
  assert.deepEqual(rulesOf({ dead: [givenUp(2)] }, 'bug'), ['dead']);
  assert.deepEqual(rulesOf({}, 'permanent'), ['dead']);
  assert.deepEqual(rulesOf({ seen: [{ rule: 'trimmed', what: 'accounts/1' }] }), ['trimmed']);
  assert.deepEqual(rulesOf({ untrimmed: [{ at: 'accounts/1' }] }), ['ends']);
  assert.deepEqual(rulesOf({ changes: [] }), ['transaction']);
  assert.deepEqual(rulesOf({ appended: [appended(1)], effects: [effect(1)] }), ['transaction']);
  assert.deepEqual(rulesOf({ changes: ['t1', 't2'] }), ['transaction']);
  assert.deepEqual(rulesOf({ appended: [1, 2, 8].map(appended) }), ['transaction']);
});

test('an event is set aside after crashes that it may have been in flight at', () => {
  const dead = [givenUp(2, 'set aside: its consumer ended with its process 5 times')];
  const end = { owner: 'a1.1', from: 0, to: 0 };
  const ends = (/** @type {number} */ count, /** @type {string} */ kind) =>
    Array(count).fill({ ...end, kind });
  const of = (/** @type {any[]} */ faults) => rulesOf({ effects: [effect(1)], dead, faults });
  assert.deepEqual(of(ends(3, 'end')), []);
  assert.deepEqual(of([...ends(7, 'end'), ...ends(7, 'crash-by-event')]), ['dead']);
  assert.deepEqual(of([...ends(9, 'end'), ...ends(9, 'crash-by-event')]), ['dead', 'crash-loop']);
});

test('a member that does nothing keeps its turn for no longer than its lease', () => {
  const calm = {
    plan: { ...PLAN, isCalm: true },
    written: [],
    faults: [{ owner: 'a1.1', kind: 'stall', from: 500, to: 60_500 }],
  };
  assert.deepEqual(rulesOf({ ...calm, effects: [effect(1), effect(2, 12_000)] }), []);
  assert.deepEqual(rulesOf({ ...calm, effects: [effect(1), effect(2, 50_000)] }), ['takeover']);
  assert.deepEqual(rulesOf({ ...calm, effects: [effect(1), effect(2, 50_000)], isWithin: true }), []);
});

test('each step of a plan of the log has a line', () => {
  assert.deepEqual(planOf(4, 2), planOf(4, 2));
  for (let life = 0; life < 50; life++)
    for (const step of planOf(4, life).steps) assert.match(lineOf(step), /^ *\d+\.\d{3} s {2}\w/);
});
