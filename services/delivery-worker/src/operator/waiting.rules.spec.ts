import { describe, expect, it } from 'vitest';
import type { WaitCause } from '@postmesh/delivery-worker-contract';
import { WAY_REASONS } from '../attempt/way-reasons.rules.js';
import { describeSlowDown } from '../shaping/slow-down.rules.js';
import { BUDGET_UNREAD, budgetSpent } from '../warm-up/budget-reasons.rules.js';
import { waitOf, type DeliveryNow } from './waiting.rules.js';

const NOW = new Date('2026-01-05T08:00:00Z');
const LATER = new Date('2026-01-05T09:00:00Z');
const LIMITS = { delivery: true, deliveryConcurrency: 100 };

const GOOGLE = { isNarrow: false, by: 'Google', since: null };

const delivery = (more: Partial<DeliveryNow>): DeliveryNow => ({
  id: 'one',
  state: 'waiting',
  attempts: 0,
  destination: 'mail.test',
  dueAt: NOW,
  suspendedUntil: null,
  leasedUntil: null,
  expires: null,
  reason: 'waits for its first attempt',
  accountState: null,
  groupInFlight: 0,
  groupName: 'Google',
  groupConnections: 10,
  accountInFlight: 0,
  inFlight: 0,
  workers: 1,
  ...more,
});

const KEY = { source: 'new', provider: 'p:google' };
const US = { code: 421, text: 'slow', address: '192.0.2.1' };
/** As the parts of an attempt write them. */
const PUT_BACK: readonly (readonly [string, WaitCause, string])[] = [
  ['a budget', 'warm_up', budgetSpent(KEY, { day: 50, hour: 7 }, 0)],
  ['an unread budget', 'warm_up', BUDGET_UNREAD],
  ['a blocked address', 'provider', describeSlowDown({ groupKey: 'p:google', cause: US, until: LATER })],
  ['a removed pool', 'way', WAY_REASONS.noPool],
  ['a pool without a way', 'way', WAY_REASONS.noWay('vip')],
  ['a way that is kept', 'way', WAY_REASONS.keepsWay('relay:ses')],
  ['no source', 'way', WAY_REASONS.noSource],
];

describe('why a delivery waits', () => {
  it.each<[string, Partial<DeliveryNow>, WaitCause | null, string | null, Date | null]>([
    ['scheduled', { dueAt: LATER }, 'scheduled', 'its scheduled time', LATER],
    ['deferred', { dueAt: LATER, attempts: 1, reason: '451 later' }, 'retry', '451 later', LATER],
    ['released', { dueAt: LATER, reason: 'content is away' }, 'retry', 'content is away', LATER],
    [
      'of a paused domain',
      { dueAt: LATER, reason: 'sending from the domain shop.test is paused' },
      'domain',
      'sending from the domain shop.test is paused',
      LATER,
    ],
    [
      'suspended',
      { state: 'suspended', reason: 'the account is suspended', suspendedUntil: LATER },
      'account',
      'the account is suspended',
      LATER,
    ],
    [
      'in flight',
      { state: 'leased', attempts: 2, leasedUntil: LATER },
      'in_flight',
      'attempt 2 is in flight',
      LATER,
    ],
    ['canceled', { state: 'canceled' }, null, null, null],
    ['due', {}, 'turn', 'its turn: it is due', null],
    [
      'due, of a blocked account',
      { accountState: 'blocked' },
      'account',
      'the account is blocked by the operator',
      null,
    ],
    [
      'due, to a new domain',
      { groupKey: 'd:mail.test' },
      'turn',
      'the look-up of the mail hosts of mail.test',
      null,
    ],
    ['due, no worker', { workers: 0 }, 'delivery_off', 'a delivery worker: none is running', null],
    [
      'due, a slow destination',
      { state: 'ready', groupInFlight: 12, inFlight: 12 },
      'busy',
      'its mail hosts: 12 attempts to Google are in flight, over at most 10 connections',
      null,
    ],
    [
      'due, of a suspended group',
      { state: 'ready', groupWait: { until: LATER, reason: 'Google slowed down us', ...GOOGLE } },
      'provider',
      'Google slowed down us',
      LATER,
    ],
    [
      'scheduled behind the suspension',
      { dueAt: LATER, groupWait: { until: NOW, reason: 'Google slowed down us', ...GOOGLE } },
      'scheduled',
      'its scheduled time',
      LATER,
    ],
    [
      'due, all busy',
      { inFlight: 100, accountInFlight: 75 },
      'busy',
      'a free worker: 100 attempts are in flight, 75 of them of its account',
      null,
    ],
  ])('%s', (_, more, cause, reason, until) => {
    expect(waitOf(delivery(more), LIMITS, NOW)).toMatchObject({ cause, reason, until });
  });

  it.each(PUT_BACK)('put back by %s', (_, cause, reason) => {
    const given = delivery({ dueAt: LATER, attempts: 1, reason });
    expect(waitOf(given, LIMITS, NOW)).toMatchObject({ cause, reason, until: LATER });
  });
});
