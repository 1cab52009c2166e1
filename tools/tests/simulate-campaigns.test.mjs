// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../simulate/campaigns/oracle.rules.mjs';
import { kindOf, lineOf, planOf } from '../simulate/campaigns/plan.mjs';

/** @typedef {import('../simulate/campaigns/oracle.rules.mjs').History} History */
/** @typedef {import('../simulate/campaigns/messages-world.mjs').Stored} Stored */

const ID = 'campaign-1';
const PLAN = { ...planOf(1, 1), dailyLimit: undefined, steps: [] };
// one that the messages service takes
const NTH = [0, 1, 2].find((nth) => kindOf(PLAN, 'c1', nth) === 'reader') ?? 0;
const CONTACT = `contact-00${NTH}`;
/** An id with its time. @param {number} at */
const messageId = (at) => `${at.toString(16).padStart(12, '0')}-7000`;
/** @param {Partial<Stored>} [change] @returns {Stored} */
const stored = (change) => ({
  ...{ id: messageId(10_000), campaignId: ID, contactId: CONTACT, subject: 'Spring' },
  ...{ outcome: 'accepted', at: 10_100, outcomeAt: 10_200, ...change },
});
const recipient = (change = {}) => ({
  ...{ campaign: ID, position: 0, contact: CONTACT, status: 'delivered', message: messageId(10_000) },
  ...change,
});
const row = (change = {}) => ({
  ...{ id: ID, status: 'sent', cause: null, size: null, winner: null, counts: {}, ...change },
});

/** @param {Partial<History>} change */
const rulesOf = (change) => {
  const campaign = { name: 'c1', members: 1, trialShare: undefined, id: ID, at: 9_000 };
  const found = judge({
    ...{ plan: PLAN, campaigns: [campaign], operations: [], stored: [stored()], isActive: true },
    ...{ rows: [row()], recipients: [recipient()], left: [], faults: [], uncaught: [], trace: [] },
    ...{ start: 0, endedAt: 200_000, steps: 1, hash: 1, ...change },
  });
  return [...new Set(found.map(({ rule }) => rule))];
};

test('a life in which each recipient has one message breaks no rule', () => {
  assert.deepEqual(rulesOf({}), []);
});

test('the verdict about campaigns names the rule that is broken', () => {
  assert.deepEqual(rulesOf({ stored: [stored(), stored({ id: messageId(10_050) })] }), ['once']);
  assert.deepEqual(rulesOf({ stored: [] }), ['record']);
  assert.deepEqual(rulesOf({ recipients: [recipient({ status: 'canceled', message: null })] }), [
    'record',
    'lost',
  ]);
  assert.deepEqual(rulesOf({ recipients: [] }), ['audience']);
  assert.deepEqual(rulesOf({ recipients: [recipient({ status: 'pending' })], stored: [] }), ['lost']);
  assert.deepEqual(rulesOf({ rows: [row({ counts: { delivered: 2 } })] }), ['counts']);
  assert.deepEqual(rulesOf({ stored: [stored({ at: 8_000 })] }), ['time']);
  assert.deepEqual(rulesOf({ plan: { ...PLAN, dailyLimit: 0 } }), ['limit']);
  assert.deepEqual(
    rulesOf({ rows: [row({ size: 1, winner: 1 })], stored: [stored({ subject: 'Spring 1' })] }),
    ['variant'],
  );
  assert.deepEqual(rulesOf({ left: [{ id: ID, status: 'sending', cause: null }] }), ['ends']);
  const many = Array.from({ length: 7 }, (_, nth) =>
    stored({ id: messageId(nth), contactId: `other-${nth}` }),
  );
  assert.deepEqual(rulesOf({ stored: [stored(), ...many] }), ['window']);
});

test('a recipient is not taken while its campaign is held', () => {
  const paused = { kind: /** @type {const} */ ('pause'), id: ID, from: 9_000, to: 9_100, isDone: true };
  const resumed = { kind: /** @type {const} */ ('resume'), id: ID, from: 9_500, to: 9_600, isDone: true };
  assert.deepEqual(rulesOf({ operations: [paused] }), ['held']);
  assert.deepEqual(rulesOf({ operations: [paused, resumed] }), []);
  assert.deepEqual(rulesOf({ operations: [{ ...paused, kind: 'cancel' }] }), ['held']);
});

test('each step of a plan of campaigns has a line', () => {
  assert.deepEqual(planOf(4, 2), planOf(4, 2));
  for (let life = 0; life < 50; life++)
    for (const step of planOf(4, life).steps) assert.match(lineOf(step), /^ *\d+\.\d{3} s {2}\w/);
});
