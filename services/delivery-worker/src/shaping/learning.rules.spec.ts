import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  causeOf,
  closeWindow,
  cut,
  endsAfter,
  faded,
  initialState,
  isProbing,
  isSuspended,
  lift,
  limitPerConnection,
  MIN_RATE,
  narrow,
  recover,
  type Cut,
  type ProviderLimits,
  type ShapingState,
} from './learning.rules.js';

const NOW = Date.UTC(2026, 0, 5, 8);
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const PROVIDER: ProviderLimits = { id: 'yahoo', connections: { start: 5, cap: 20 }, perConnection: 20 };
const GOOGLE: ProviderLimits = { ...PROVIDER, id: 'google' };
const CAUSE = { code: 421, enhanced: '4.7.28', text: 'slow down', at: NOW };
const HALVE: Cut = { do: 'halve', cause: CAUSE };
const BUSY = { results: 1_000, peak: 100, rate: 100 };

const state = (more: Partial<ShapingState> = {}): ShapingState => ({
  ...initialState(PROVIDER, NOW),
  ...more,
});
const at = (now: number, rate = 10) => ({ now, rate });

describe('a window', () => {
  const close = (given: ShapingState, use = BUSY, now = NOW + 30 * SECOND, provider = PROVIDER) =>
    closeWindow(given, use, { provider, now });

  it('raises by one connection when it was used without a complaint', () => {
    expect(close(state())).toMatchObject({ connections: 6, rate: null, windowFrom: NOW + 30 * SECOND });
  });

  it.each([
    ['before 30 seconds are over', state(), BUSY, NOW + 29 * SECOND],
    ['with less than four results per connection', state(), { ...BUSY, results: 19 }, NOW + HOUR],
    ['of which less than 80 % was used', state(), { ...BUSY, peak: 3 }, NOW + HOUR],
    ['at the cap', state({ connections: 20 }), BUSY, NOW + HOUR],
    ['while raises are held', state({ heldUntil: NOW + DAY }), BUSY, NOW + HOUR],
    ['of a suspended group', state({ suspendedUntil: NOW + DAY }), BUSY, NOW + HOUR],
    ['of a group that is being probed', state({ suspendedUntil: NOW }), BUSY, NOW + HOUR],
  ])('%s raises nothing', (_, given, use, now) => {
    expect(close(given, use, now)).toBeUndefined();
  });

  it('raises a learnt rate by a twentieth of the cap, by a tenth of itself at most', () => {
    expect(close(state({ rate: 80 }))?.rate).toBe(85);
    expect(close(state({ rate: 1 }))?.rate).toBeCloseTo(1.1);
    expect(close(state({ rate: 10 }), { ...BUSY, rate: 7 })?.rate).toBe(10);
  });

  it('drops a rate above the highest useful limit, unless the provider publishes one', () => {
    expect(close(state({ rate: 96 }))?.rate).toBeNull();
    const published = { ...PROVIDER, ratePerSecond: 10 };
    expect(initialState(published, NOW).rate).toBe(10);
    expect(close(state({ rate: 9.5 }), BUSY, NOW + HOUR, published)?.rate).toBe(10);
  });

  it('after a suspension doubles up to half of the failed connections; Google gets one more at a time', () => {
    const after = state({ connections: 1, half: 5 });
    const raised = (provider: ProviderLimits) => {
      const seen = [];
      let now = NOW;
      for (let next: ShapingState | undefined = after; next && seen.length < 6;) {
        now += 30 * SECOND;
        next = closeWindow(next, BUSY, { provider, now });
        if (next) seen.push(next.connections);
      }
      return seen;
    };
    expect(raised(PROVIDER)).toEqual([2, 4, 5, 6, 7, 8]);
    expect(raised(GOOGLE)).toEqual([2, 3, 4, 5, 6, 7]);
  });
});

describe('a signal', () => {
  it('halves connections, and sets the rate to half of the measured one', () => {
    expect(cut(state(), HALVE, at(NOW, 10))).toMatchObject({
      connections: 2,
      rate: 5,
      deafUntil: NOW + 30 * SECOND,
      windowFrom: NOW,
      cause: { ...CAUSE, did: 'slowed down' },
    });
    expect(cut(state({ rate: 4 }), HALVE, at(NOW, 10))?.rate).toBe(2);
    // a measurement may be wrong: a quarter is left
    expect(cut(state({ rate: 4 }), HALVE, at(NOW, 1))?.rate).toBe(1);
  });

  it('among a few messages halves a careful rate: nothing was measured', () => {
    expect(cut(state(), HALVE, { now: NOW, rate: undefined })?.rate).toBe(5);
    expect(cut(state({ rate: 4 }), HALVE, { now: NOW, rate: undefined })?.rate).toBe(2);
  });

  it('about connections says nothing about a rate', () => {
    expect(cut(state(), { ...HALVE, connectionsOnly: true }, at(NOW))).toMatchObject({
      connections: 2,
      rate: null,
    });
  });

  it('of a rate leaves the connections, and holds raises for its time', () => {
    const slow: Cut = { do: 'slow', forMs: 30 * MINUTE, cause: CAUSE };
    expect(cut(state(), slow, at(NOW))).toMatchObject({
      connections: 5,
      rate: 5,
      heldUntil: NOW + 30 * MINUTE,
    });
  });

  it('is one event with those that come within 30 seconds', () => {
    const first = cut(state(), HALVE, at(NOW))!;
    expect(cut(first, HALVE, at(NOW + 29 * SECOND))).toBeUndefined();
    expect(cut(first, HALVE, at(NOW + 30 * SECOND))?.connections).toBe(1);
  });

  it('that is weak takes one connection, and no rate', () => {
    expect(narrow(state(), CAUSE, NOW)).toMatchObject({ connections: 4, rate: null });
    expect(narrow(state({ connections: 1 }), CAUSE, NOW)).toBeUndefined();
    expect(narrow(state({ suspendedUntil: NOW + HOUR }), CAUSE, NOW)).toBeUndefined();
  });

  it('never leaves less than one connection and six messages a minute', () => {
    let now = NOW;
    let given = state();
    for (let nth = 0; nth < 2; nth++) given = cut(given, HALVE, at((now += MINUTE), 0.01)) ?? given;
    expect(given).toMatchObject({ connections: 1, rate: MIN_RATE, suspendedUntil: null });
  });
});

describe('a limit that a signal has shown', () => {
  const met = (given: ShapingState, signal: Cut, now = NOW, rate = 10) => cut(given, signal, { now, rate })!;
  const raisedAt = (given: ShapingState, now: number) =>
    closeWindow(given, BUSY, { provider: PROVIDER, now })?.rate ?? given.rate;
  const keptMs = (given: ShapingState, now: number) => (given.cause?.met?.keptUntil ?? 0) - now;

  it('is used to nine tenths for a quarter of an hour, then raises try whether it is higher', () => {
    const given = { ...met(state(), HALVE), rate: 8.9 };
    expect(raisedAt(given, NOW + 15 * MINUTE - 1)).toBe(9);
    expect(raisedAt({ ...given, rate: 9 }, NOW + 15 * MINUTE - 1)).toBe(9);
    expect(raisedAt({ ...given, rate: 9 }, NOW + 15 * MINUTE)).toBeCloseTo(9.9);
  });

  it('of connections is left by one', () => {
    const given = met(state({ connections: 3 }), { ...HALVE, connectionsOnly: true });
    const raised = (connections: number, now: number) =>
      closeWindow({ ...given, connections }, BUSY, { provider: PROVIDER, now })?.connections;
    expect(raised(1, NOW + MINUTE)).toBe(2);
    expect(raised(2, NOW + MINUTE)).toBeUndefined();
    expect(raised(2, NOW + 15 * MINUTE)).toBe(3);
  });

  it('is kept for twice as long each time that it is the same, up to two hours', () => {
    let given = state();
    const minutes = [10, 9, 11, 10, 10, 4].map((rate, nth) => {
      const now = NOW + nth * DAY;
      given = met({ ...given, rate: 10, connections: 5 }, HALVE, now, rate);
      return keptMs(given, now) / MINUTE;
    });
    expect(minutes).toEqual([15, 30, 60, 120, 120, 15]);
  });

  it('is kept for twelve times the suspension that a try costs', () => {
    const given = met(state(), { do: 'suspend', forMs: 30 * MINUTE, cause: CAUSE });
    expect(keptMs(given, given.suspendedUntil!)).toBe(6 * HOUR);
    const long = met(state(), { do: 'suspend', forMs: 4 * HOUR, cause: CAUSE });
    expect(keptMs(long, long.suspendedUntil!)).toBe(20 * HOUR);
    expect(keptMs(lift(given, NOW + MINUTE)!, NOW + MINUTE)).toBe(0);
  });

  it('stays known while the host is closed: nothing was taken since, which is a minute’s pause and no cut', () => {
    const first = met(state({ rate: 10 }), HALVE);
    const later = NOW + 30 * SECOND;
    const given = cut(first, HALVE, { now: later, rate: 0, isOpen: false })!;
    expect(given).toMatchObject({
      rate: 5,
      suspendedUntil: later + MINUTE,
      cause: { met: { perSecond: 10 } },
    });
    const again = cut(given, HALVE, { now: later + MINUTE, rate: 0, isOpen: false })!;
    expect(again).toMatchObject({ rate: 5, suspendedUntil: later + 3 * MINUTE });
    // an open host that defers most of what comes is no closed one
    expect(cut(first, HALVE, { now: later, rate: 0.5 })).toMatchObject({ suspendedUntil: null });
  });
});

describe('a suspension', () => {
  const rule: Cut = { do: 'suspend', forMs: 2 * HOUR, cause: CAUSE };
  const suspended = (given: ShapingState, now: number, by = rule) => cut(given, by, at(now))!;

  it('by a rule lasts for the time of the rule, then one message probes', () => {
    const given = suspended(state(), NOW);
    expect(given).toMatchObject({ suspendedUntil: NOW + 2 * HOUR, connections: 1, half: 2, strikes: 1 });
    expect(given.cause?.did).toBe('suspended');
    expect(isSuspended(given, NOW + 2 * HOUR - 1)).toBe(true);
    expect(isProbing(given, NOW + 2 * HOUR - 1)).toBe(false);
    expect(isSuspended(given, NOW + 2 * HOUR)).toBe(false);
    expect(isProbing(given, NOW + 2 * HOUR)).toBe(true);
  });

  it('ends with a probe that was answered', () => {
    const given = suspended(state(), NOW);
    expect(recover(given, NOW + HOUR)).toBeUndefined();
    const after = recover(given, NOW + 2 * HOUR);
    expect(after).toMatchObject({ suspendedUntil: null, connections: 1, half: 2, strikes: 1 });
  });

  it('takes no notice of replies that were on their way', () => {
    const given = suspended(state(), NOW);
    expect(cut(given, rule, at(NOW + SECOND))).toBeUndefined();
    expect(cut(given, HALVE, at(NOW + HOUR))).toBeUndefined();
  });

  it('doubles when the probe fails, up to the longest time, and keeps half of the connections that failed first', () => {
    let given = suspended(state(), NOW);
    const lengths = [];
    for (let nth = 0; nth < 4; nth++) {
      const now = given.suspendedUntil!;
      given = suspended(given, now);
      lengths.push((given.suspendedUntil! - now) / HOUR);
    }
    expect(lengths).toEqual([4, 8, 12, 12]);
    expect(given).toMatchObject({ half: 2, strikes: 5 });
  });

  it('soon after the last one is longer; after six hours without trouble it is a first one', () => {
    const again = recover(suspended(state(), NOW), NOW + 2 * HOUR)!;
    const soon = NOW + 3 * HOUR;
    expect(suspended(again, soon).suspendedUntil).toBe(soon + 4 * HOUR);
    const late = NOW + 8 * HOUR;
    expect(suspended(again, late)).toMatchObject({ suspendedUntil: late + 2 * HOUR, strikes: 1 });
  });

  it('comes of three cuts in ten minutes with nothing left to cut: ten minutes, doubling to an hour', () => {
    const floor = state({ connections: 1, rate: MIN_RATE });
    const once = cut(floor, HALVE, at(NOW))!;
    const twice = cut(once, HALVE, at(NOW + MINUTE))!;
    expect(twice.suspendedUntil).toBeNull();
    let given = cut(twice, HALVE, at(NOW + 2 * MINUTE))!;
    const lengths = [(given.suspendedUntil! - (NOW + 2 * MINUTE)) / MINUTE];
    for (let nth = 0; nth < 3; nth++) {
      const now = given.suspendedUntil!;
      given = cut(given, HALVE, at(now))!;
      lengths.push((given.suspendedUntil! - now) / MINUTE);
    }
    expect(lengths).toEqual([10, 20, 40, 60]);
    expect(cut(twice, HALVE, at(NOW + 11 * MINUTE))).toMatchObject({ suspendedUntil: null, floorCuts: 1 });
  });

  it('can be lifted: one message probes at once', () => {
    const given = suspended(state(), NOW);
    const lifted = lift(given, NOW + MINUTE)!;
    expect(isProbing(lifted, NOW + MINUTE)).toBe(true);
    expect(lifted.strikes).toBe(0);
    expect(lift(lifted, NOW + 2 * MINUTE)).toBeUndefined();
    expect(lift(state(), NOW)).toBeUndefined();
  });
});

describe('messages per connection', () => {
  const limit = (good: number, given = state()) =>
    limitPerConnection(given, { good, provider: PROVIDER, now: NOW })?.perConnection;

  it('are one less than the server takes, and at least one; nothing is cut', () => {
    expect(limit(10)).toBe(9);
    expect(limit(1)).toBe(1);
    expect(limit(21)).toBeUndefined();
    expect(limit(10, state({ perConnection: 5 }))).toBeUndefined();
    const learnt = limitPerConnection(state(), { good: 10, provider: PROVIDER, now: NOW });
    expect(learnt).toEqual({ ...state(), perConnection: 9, changedAt: NOW });
  });

  const ends = (...numbers: number[]) =>
    numbers.map((good) => ({ good: Math.abs(good), byServer: good >= 0 }));

  it.each([
    ['three of five ended after the same number', ends(7, 3, 7, 9, 7), 7],
    ['two are a coincidence', ends(7, 3, 7, 9, 8), undefined],
    ['only the last five count', ends(7, 7, 1, 7, 2, 3), undefined],
    ['our own ends do not count', ends(-7, -7, -7), undefined],
    ['ends before any message do not count', ends(0, 0, 0), undefined],
  ])('%s', (_, given, expected) => {
    expect(endsAfter(given)).toBe(expected);
  });
});

describe('an unused limit', () => {
  it('moves a quarter of the way to the start each day, and is gone after two weeks', () => {
    const given = state({ connections: 13, rate: 10, perConnection: 5, changedAt: NOW });
    expect(faded(given, PROVIDER, NOW + DAY - 1)).toEqual(given);
    expect(faded(given, PROVIDER, NOW + DAY)).toMatchObject({ connections: 11, perConnection: 6 });
    expect(faded(given, PROVIDER, NOW + DAY).rate).toBeCloseTo(13.3, 1);
    expect(faded(given, PROVIDER, NOW + 9 * DAY)).toMatchObject({ connections: 6, rate: null });
    expect(faded(given, PROVIDER, NOW + 14 * DAY)).toEqual(initialState(PROVIDER, NOW + 14 * DAY));
    expect(faded(state({ connections: 1, changedAt: NOW }), PROVIDER, NOW + DAY).connections).toBe(2);
  });

  it('stays suspended for as long as it is', () => {
    const given = state({ connections: 1, suspendedUntil: NOW + HOUR, changedAt: NOW });
    expect(faded(given, PROVIDER, NOW + 2 * DAY)).toEqual(given);
  });
});

describe('a cause', () => {
  it('is cut short, and names no address whole', () => {
    const reply = {
      kind: 'deferred' as const,
      smtpCode: 421,
      response: `<ann@mail.test>: no ${'x'.repeat(400)}`,
    };
    const { text } = causeOf(reply, { at: NOW });
    expect(text).toMatch(/^<a\*\*\*@mail.test>: no x/);
    expect(text.length).toBeLessThanOrEqual(300);
  });
});

it('limits always stay within their bounds and every suspension ends within twelve hours', () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 2 * HOUR }),
    rate: fc.double({ min: 0, max: 500, noNaN: true }),
    what: fc.constantFrom(
      'halve',
      'slow',
      'suspend',
      'weak',
      'window',
      'recover',
      'lift',
      'fade',
      'connection',
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = NOW;
      let given = initialState(PROVIDER, NOW);
      for (const { wait, rate, what } of steps) {
        now += wait;
        given = happens(given, what, { now, rate }) ?? given;
        expect(given.connections).toBeGreaterThanOrEqual(1);
        expect(given.connections).toBeLessThanOrEqual(PROVIDER.connections.cap);
        if (given.rate !== null) expect(given.rate).toBeGreaterThanOrEqual(MIN_RATE);
        if (given.rate !== null) expect(given.rate).toBeLessThan(100);
        if (given.perConnection !== null) expect(given.perConnection).toBeGreaterThanOrEqual(1);
        if (given.suspendedUntil !== null) expect(given.suspendedUntil - now).toBeLessThanOrEqual(12 * HOUR);
      }
    }),
  );
});

function happens(given: ShapingState, what: string, { now, rate }: { now: number; rate: number }) {
  switch (what) {
    case 'window':
      return closeWindow(given, { ...BUSY, rate }, { provider: PROVIDER, now });
    case 'weak':
      return narrow(given, CAUSE, now);
    case 'recover':
      return recover(given, now);
    case 'lift':
      return lift(given, now);
    case 'fade':
      return faded(given, PROVIDER, now + DAY);
    case 'connection':
      return limitPerConnection(given, { good: 3, provider: PROVIDER, now });
    default:
      return cut(given, { do: what as Cut['do'], forMs: HOUR, cause: CAUSE }, { now, rate });
  }
}

it('once it is learnt, a server that takes one message a second defers less than 5 %', () => {
  let given = initialState(PROVIDER, NOW);
  let [sent, deferred] = [0, 0];
  const history: number[] = [];
  for (let now = NOW; now < NOW + 2 * HOUR; now += SECOND) {
    const wanted = given.rate ?? 20;
    const due = Math.floor(((now - NOW) / SECOND + 1) * wanted) - Math.floor(((now - NOW) / SECOND) * wanted);
    // its bucket holds five seconds
    const recent = history.slice(-5).reduce((sum, one) => sum + one, 0);
    const good = Math.min(due, Math.max(0, 5 - recent));
    history.push(good);
    const rate = history.slice(-30).reduce((sum, one) => sum + one, 0) / 30;
    if (good < due) given = cut(given, HALVE, { now, rate }) ?? given;
    if (now > NOW + 30 * MINUTE) [sent, deferred] = [sent + due, deferred + due - good];
    given =
      closeWindow(given, { results: 1_000, peak: given.connections, rate }, { provider: PROVIDER, now }) ??
      given;
  }
  expect(deferred / sent).toBeLessThan(0.05);
  expect(sent / (90 * 60)).toBeGreaterThan(0.6);
});
