// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../simulate/webhooks/oracle.rules.mjs';
import { lineOf, planOf } from '../simulate/webhooks/plan.mjs';

/** @typedef {import('../simulate/webhooks/oracle.rules.mjs').History} History */
/** @typedef {import('../simulate/webhooks/http-world.mjs').Call} Call */

const ID = 'webhook-1';
const BODY = JSON.stringify({ data: { subject: 'e1', id: 'm1' } });
/** @param {string} type @param {number} at @param {object} data */
const logged = (type, at, data) => ({ type, at, data: { webhook_id: ID, ...data } });
/** @param {object} [change] */
const requested = (change) =>
  logged('webhook-delivery-requested', 10_100, {
    ...{ delivery_id: 'd1', webhook_message_id: 'msg_1', body: BODY },
    ...{ due_at: new Date(10_050).toISOString(), ...change },
  });
/** @param {object} [change] */
const attempted = (change) =>
  logged('webhook-delivery-attempted', 10_400, {
    ...{ delivery_id: 'd1', success: true, next_attempt_at: null },
    ...{ attempted_at: new Date(10_300).toISOString(), ...change },
  });
/** @param {Partial<Call>} [change] @returns {Call} */
const call = (change) => ({
  ...{ host: 'w1.test', id: 'msg_1', body: BODY, owner: 'd1.1', begunAt: 10_200, kind: 'ok', isTaken: true },
  ...{ endedAt: 10_300, isKnown: true, isOver: true, ...change },
});
/** @param {import('../simulate/webhooks/life.mjs').Operation['kind']} kind @param {number} from @param {number} to */
const operation = (kind, from, to) => ({ ...{ kind, name: 'w1', id: ID, since: 0, from, to }, isDone: true });
const CREATED = operation('create', 1_000, 1_100);

/** @param {Partial<History>} change */
const rulesOf = (change) => {
  const endpoint = {
    name: 'w1',
    account: 'A',
    changes: ['delivered'],
    domain: undefined,
    flakiness: 0,
    down: [],
  };
  const happening = { name: 'e1', message: 'm1', account: 'A', change: 'delivered', domain: 'a.test' };
  const found = judge({
    ...{ plan: planOf(1, 1), endpoints: [endpoint], operations: [CREATED] },
    ...{ happenings: [{ ...happening, at: 10_000 }], calls: [call()], published: [requested()] },
    ...{ attempted: [attempted()], webhooks: [{ id: ID, enabled: true, successes: 1, errors: 0 }] },
    ...{
      kept: [],
      left: [],
      faults: [],
      uncaught: [],
      trace: [],
      start: 0,
      endedAt: 200_000,
      steps: 1,
      hash: 1,
    },
    ...change,
  });
  return [...new Set(found.map(({ rule }) => rule))];
};
const disabledFrom = [CREATED, operation('disable', 5_000, 5_100)];
const stopped = logged('webhook-stopped', 5_050, {});

test('a life in which an event is requested, called and counted once breaks no rule', () => {
  assert.deepEqual(rulesOf({}), []);
});

test('the verdict about webhooks names the rule that is broken', () => {
  assert.deepEqual(rulesOf({ published: [], calls: [] }), ['lost']);
  assert.deepEqual(rulesOf({ published: [requested(), requested()] }), ['once']);
  assert.deepEqual(rulesOf({ calls: [] }), ['delivered']);
  assert.deepEqual(rulesOf({ calls: [call({ body: 'another' })] }), ['body']);
  assert.deepEqual(rulesOf({ calls: [call(), call({ begunAt: 60_000, endedAt: 60_100 })] }), ['again']);
  assert.deepEqual(rulesOf({ webhooks: [{ id: ID, enabled: true, successes: 0, errors: 1 }] }), ['counts']);
  assert.deepEqual(rulesOf({ left: [{ what: 'delivery', text: 'waiting' }] }), ['ends']);
  assert.deepEqual(rulesOf({ operations: disabledFrom, published: [stopped, requested()] }), [
    'missed',
    'stopped',
  ]);
  const disabled = logged('webhook-disabled', 20_000, { name: 'w1' });
  assert.deepEqual(rulesOf({ published: [requested(), disabled] }), ['disabled']);
});

test('what a disabled webhook misses arrives only once it recovers', () => {
  const missed = { published: [stopped, requested({ missed: true })], calls: [], attempted: [] };
  const webhooks = [{ id: ID, enabled: false, successes: 0, errors: 0 }];
  assert.deepEqual(rulesOf({ ...missed, operations: disabledFrom, webhooks }), []);
  const operations = [
    ...disabledFrom,
    operation('enable', 20_000, 20_100),
    operation('recover', 30_000, 30_100),
  ];
  assert.deepEqual(rulesOf({ ...missed, operations, webhooks }), ['recovered']);
});

test('each step of a plan of webhooks has a line', () => {
  assert.deepEqual(planOf(4, 2), planOf(4, 2));
  for (let life = 0; life < 50; life++)
    for (const step of planOf(4, life).steps) assert.match(lineOf(step), /^ *\d+\.\d{3} s {2}\w/);
});
