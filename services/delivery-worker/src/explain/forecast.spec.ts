import { describe, expect, it } from 'vitest';
import { initialState, type ProviderLimits, type ShapingState } from '../shaping/learning.rules.js';
import { houseOf } from '../testing/virtual-house.js';
import { VirtualQueue } from '../testing/virtual-queue.js';
import { NOTHING, type BudgetAhead } from '../warm-up/budget-ahead.rules.js';
import { ceilingOf, emptyAt, endOf, sentUntilDone, type SourceNow } from './forecast.rules.js';

const NOW = Date.UTC(2026, 0, 5, 8);
const [SECOND, MINUTE] = [1_000, 60_000];
const PROVIDER: ProviderLimits = { id: 'yahoo', connections: { start: 5, cap: 20 }, perConnection: 20 };
const source = (state: Partial<ShapingState> = {}, more: Partial<SourceNow> = {}): SourceNow => ({
  state: { ...initialState(PROVIDER, NOW), ...state },
  provider: PROVIDER,
  ...{ mostConnections: 20, messageSeconds: 0.5, perSecond: 0 },
  ...more,
});

/** A budget of the first day. */
const budget = ({ stage = 0, dayUsed = 0, hourUsed = 0 }): BudgetAhead => ({
  ...{ schedule: { first: 100, growth: 1.5, full: 1_000 }, hourUsed, isSpent: false },
  results: { ...NOTHING, stage, dayUsed, delivered: dayUsed },
});
const MANY = 1_000;

describe('the ceiling', () => {
  it.each([
    ['connections', source(), 10],
    ['pace', source({ rate: 2 }), 2],
    ['connections', source({ rate: 20 }), 10],
    ['setting', source({}, { mostConnections: 2 }), 4],
    ['budget', source({}, { budget: budget({ hourUsed: 8 }) }), 5 / 3_600],
    ['budget', source({}, { budget: budget({ hourUsed: 13 }) }), 0],
    ['connections', source({}, { budget: budget({ stage: 30 }) }), 10],
    ['suspension', source({ suspendedUntil: NOW + MINUTE }), 0],
    ['probe', source({ suspendedUntil: NOW }), 2],
  ])('is by %s', (by, given, perSecond) => {
    expect(ceilingOf(given, NOW, MANY)).toMatchObject({ by, perSecond });
  });
});

describe('the end of a queue', () => {
  const end = (due: number, ...sources: SourceNow[]) => emptyAt({ due, later: [] }, sources, NOW);

  it('is now when nothing waits, and not foreseen when nothing may leave', () => {
    expect(end(0, source())).toBe(NOW);
    expect(end(1)).toBeNull();
    expect(end(1, source({ suspendedUntil: NOW + 15 * 24 * 60 * MINUTE }))).toBeNull();
  });

  it('comes by the ceiling of all sources together', () => {
    expect(end(100, source())).toBe(NOW + 10 * SECOND);
    expect(end(100, source(), source())).toBe(NOW + 5 * SECOND);
    expect(end(100, source(), source({ suspendedUntil: NOW + 60 * MINUTE }))).toBe(NOW + 10 * SECOND);
  });

  it('comes after the end of a suspension, and after messages with a time of their own', () => {
    expect(end(1, source({ suspendedUntil: NOW + 10 * MINUTE }))).toBe(NOW + 10 * MINUTE + SECOND / 2);
    const later = [{ at: NOW + 30 * MINUTE, messages: 10 }];
    expect(emptyAt({ due: 1, later }, [source()], NOW)).toBe(NOW + 30 * MINUTE + SECOND);
  });

  it.each([
    ['what an hour leaves is sent at once', { due: 13, singles: 13 }, {}, 0],
    ['what exceeds it is sent in the next hours', { due: 39, singles: 39 }, {}, 2],
    ['bulk leaves a part of each hour to single messages', { due: 30 }, {}, 2],
    ['what exceeds a day is sent on the next one', { due: 2 }, { dayUsed: 100, hourUsed: 13 }, 16],
    // 40 are left of the day, and the next stage has 19 an hour
    ['the next day has the next stage', { due: 78, singles: 78 }, { dayUsed: 60 }, 17],
  ])('comes by the budget of a new address: %s', (_, queued, used, hours) => {
    const at = emptyAt({ ...queued, later: [] }, [source({}, { budget: budget(used) })], NOW);
    expect(Math.floor(((at ?? 0) - NOW) / (60 * MINUTE))).toBe(hours);
  });

  it('comes sooner by the raises on the way', () => {
    expect(end(1_000, source())).toBeLessThan(NOW + 100 * SECOND);
    expect(end(1_000, source({ heldUntil: NOW + 60 * MINUTE }))).toBe(NOW + 100 * SECOND);
  });
});

describe('the mail of one account', () => {
  it('is sent when each other account had as many turns', () => {
    expect(sentUntilDone(10, [])).toBe(10);
    expect(sentUntilDone(10, [3, 1_000])).toBe(23);
  });
});

interface Given {
  readonly messageMs: number;
  readonly messages: number;
  /** after which a house has shown its limit from below; the first ones come of a burst */
  readonly signals: number;
}

/** Asks in the middle of a queue, and lets it run to its end. */
async function asked(name: string, groupKey: string, given: Given) {
  const queue = new VirtualQueue(await houseOf(name), groupKey, given.messageMs);
  queue.due = given.messages;
  const isShown = () => queue.signals >= given.signals && queue.delivered > given.messages / 10;
  await queue.run(() => queue.isEmpty || isShown());
  expect(queue.isEmpty).toBe(false);
  const at = queue.now;
  const { emptyAt: end, latestAt } = endOf(queue.queued, [queue.source], at);
  await queue.run(() => queue.isEmpty);
  return { foreseen: (end ?? 0) - at, latest: (latestAt ?? 0) - at, took: queue.now - at };
}

describe('a queue for a house of local-internet, in virtual time', () => {
  const [ANY, GOOGLE, OUTLOOK] = ['m:0123456789abcdef', 'p:google', 'p:outlook'];
  it.each([
    ['tls-good', ANY, { messageMs: 400, messages: 20_000, signals: 0 }],
    ['yahooish', 'p:yahoo', { messageMs: 200, messages: 20_000, signals: 0 }],
    // 10 messages a second by its row
    ['tls-good', 'p:yahoo-jp', { messageMs: 100, messages: 20_000, signals: 0 }],
    ['googleish', ANY, { messageMs: 200, messages: 8_000, signals: 6 }],
    ['outlookish', ANY, { messageMs: 200, messages: 9_000, signals: 8 }],
    ['limited', ANY, { messageMs: 500, messages: 20_000, signals: 2 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 3_000, signals: 3 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 4_000, signals: 3 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 4_500, signals: 3 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 1_500, signals: 2 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 2_500, signals: 2 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 3_500, signals: 2 }],
  ] as const)('%s is empty when the forecast says, within a tenth', async (name, groupKey, given) => {
    const { foreseen, took } = await asked(name, groupKey, given);
    expect(Math.abs(foreseen - took) / took, `${foreseen} foreseen, ${took} taken`).toBeLessThan(0.1);
  });

  it('whose last messages meet the next slow-down is empty at the later of two times', async () => {
    const { foreseen, latest, took } = await asked('googleish', GOOGLE, {
      messageMs: 200,
      messages: 2_500,
      signals: 3,
    });
    expect(foreseen).toBeLessThan(took);
    expect(Math.abs(latest - took) / took, `${latest} at the latest, ${took} taken`).toBeLessThan(0.1);
  });
});
