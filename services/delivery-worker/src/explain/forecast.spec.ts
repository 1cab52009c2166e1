import { describe, expect, it } from 'vitest';
import { initialState, type ProviderLimits, type ShapingState } from '../shaping/learning.rules.js';
import { VirtualQueue, type VirtualHouse } from '../testing/virtual-queue.js';
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

describe('the ceiling', () => {
  it.each([
    ['connections', source(), 10],
    ['pace', source({ rate: 2 }), 2],
    ['connections', source({ rate: 20 }), 10],
    ['setting', source({}, { mostConnections: 2 }), 4],
    ['budget', source({}, { budgetPerSecond: 0.5 }), 0.5],
    ['suspension', source({ suspendedUntil: NOW + MINUTE }), 0],
    ['probe', source({ suspendedUntil: NOW }), 2],
  ])('is by %s', (by, given, perSecond) => {
    expect(ceilingOf(given, NOW)).toMatchObject({ by, perSecond });
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

  it('comes sooner by the raises on the way', () => {
    expect(end(1_000, source())).toBeLessThan(NOW + 100 * SECOND);
    expect(end(1_000, source({ heldUntil: NOW + 60 * MINUTE }))).toBe(NOW + 100 * SECOND);
  });
});

/** Two files of local-internet, whose rules of houses take the time as a parameter. */
const fileOf = (name: string) =>
  new URL(`../../../local-internet/dist/houses/${name}.js`, import.meta.url).href;
interface Script {
  name: string;
  rate?: { at: string };
  untilQuiet?: { at: string };
}
interface Reply {
  code: number;
  text: string;
}
interface Limits {
  connected(script: Script, source: string): Reply | undefined;
  disconnected(source: string): void;
  rejection(script: Script, stage: string, about: object, now: number): Reply | undefined;
  took(script: Script, source: string, now: number): void;
}
const US = '198.51.100.7';

async function houseOf(name: string): Promise<VirtualHouse> {
  const { HOUSES } = (await import(/* @vite-ignore */ fileOf('houses.table'))) as { HOUSES: Script[] };
  const { HouseLimits } = (await import(/* @vite-ignore */ fileOf('house-limits.rules'))) as {
    HouseLimits: new () => Limits;
  };
  const script = HOUSES.find((house) => house.name === name)!;
  const limits = new HouseLimits();
  const textOf = (reply: Reply | undefined) => reply && `${reply.code} ${reply.text.split('\n')[0]}`;
  const about = { source: US, sender: 'a@shop.test', recipients: ['ann@mail.test'] };
  const stage = script.rate?.at ?? script.untilQuiet?.at ?? 'data';
  return {
    connected: () => textOf(limits.connected(script, US)),
    disconnected: () => limits.disconnected(US),
    refuses: (now) => textOf(limits.rejection(script, stage, about, now)),
    took: (now) => limits.took(script, US, now),
  };
}

describe('the mail of one account', () => {
  it('is sent when each other account had as many turns', () => {
    expect(sentUntilDone(10, [])).toBe(10);
    expect(sentUntilDone(10, [3, 1_000])).toBe(23);
  });
});

/** Asks in the middle of a queue, and lets it run to its end. */
async function asked(name: string, groupKey: string, given: { messageMs: number; messages: number }) {
  const queue = new VirtualQueue(await houseOf(name), groupKey, given.messageMs);
  queue.due = given.messages;
  // a house with a limit has shown it twice by then, the second time from below
  const signals = ['tls-good', 'yahooish'].includes(name) ? 0 : 3;
  await queue.run(() => queue.signals >= signals && queue.delivered > given.messages / 10);
  const at = queue.now;
  const { emptyAt: end, latestAt } = endOf(queue.queued, [queue.source], at);
  await queue.run(() => queue.isEmpty);
  return { foreseen: (end ?? 0) - at, latest: (latestAt ?? 0) - at, took: queue.now - at };
}

describe('a queue for a house of local-internet, in virtual time', () => {
  const [ANY, GOOGLE, OUTLOOK] = ['m:0123456789abcdef', 'p:google', 'p:outlook'];
  it.each([
    ['tls-good', ANY, { messageMs: 400, messages: 20_000 }],
    ['yahooish', 'p:yahoo', { messageMs: 200, messages: 20_000 }],
    ['limited', ANY, { messageMs: 500, messages: 20_000 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 3_000 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 4_000 }],
    ['googleish', GOOGLE, { messageMs: 200, messages: 4_500 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 1_500 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 2_500 }],
    ['outlookish', OUTLOOK, { messageMs: 200, messages: 3_500 }],
  ] as const)('%s is empty when the forecast says, within a tenth', async (name, groupKey, given) => {
    const { foreseen, took } = await asked(name, groupKey, given);
    expect(Math.abs(foreseen - took) / took, `${foreseen} foreseen, ${took} taken`).toBeLessThan(0.1);
  });

  it('whose last messages meet the next slow-down is empty at the later of two times', async () => {
    const { foreseen, latest, took } = await asked('googleish', GOOGLE, { messageMs: 200, messages: 2_500 });
    expect(foreseen).toBeLessThan(took);
    expect(Math.abs(latest - took) / took, `${latest} at the latest, ${took} taken`).toBeLessThan(0.1);
  });
});
