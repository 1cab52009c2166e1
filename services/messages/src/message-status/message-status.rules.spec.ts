import { describe, expect, it } from 'vitest';
import {
  ACCEPTING_STATUSES,
  accepts,
  isTerminal,
  MESSAGE_STATUSES,
  shownStatus,
  statusAfter,
} from './message-status.rules.js';

describe('message status (spec 2-messages §7)', () => {
  it.each([
    ['Received', 'delivered', true],
    ['Received', 'deferred', true],
    ['Deferred', 'delivered', true],
    ['Deferred', 'failed', true],
    ['Scheduled', 'failed', true],
    ['Received', 'suppressed', true],
    ['Delivered', 'bounced', true],
    ['Opened', 'bounced', true],
    ['Clicked', 'bounced', true],
    ['Delivered', 'deferred', false],
    ['Bounced', 'delivered', false],
    ['Failed', 'bounced', false],
    ['Canceled', 'delivered', false],
    ['Sandbox Deferred', 'delivered', false],
    ['Suppressed', 'delivered', false],
  ] as const)('%s takes %s: %s', (status, outcome, expected) => {
    expect(accepts(status, outcome)).toBe(expected);
    expect(ACCEPTING_STATUSES[outcome]!.includes(status)).toBe(expected);
  });

  it('has separate names for sandbox outcomes', () => {
    expect(statusAfter('deferred', true)).toBe('Sandbox Deferred');
    expect(statusAfter('delivered', false)).toBe('Delivered');
  });

  it('shows a scheduled message as received from its first attempt on', () => {
    const at = new Date('2026-01-05T08:00:00Z');
    expect(shownStatus('Scheduled', at, new Date('2026-01-05T07:59:59Z'))).toBe('Scheduled');
    expect(shownStatus('Scheduled', at, at)).toBe('Received');
  });

  it('has three open states', () => {
    expect(MESSAGE_STATUSES.filter((status) => !isTerminal(status))).toEqual([
      'Received',
      'Scheduled',
      'Deferred',
    ]);
  });
});
