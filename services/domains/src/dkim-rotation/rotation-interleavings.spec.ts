import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainId } from '@postmesh/contracts';
import { otherSlot, type DkimSlot, type SendingDomain } from '../database/entities.js';
import { exampleDomain } from '../testing/example-domain.js';
import {
  domainAfterStep,
  isRotating,
  nextRotationStep,
  type Observations,
  type RotationFacts,
  type RotationStep,
} from './dkim-rotation.rules.js';
import { sightOf } from './standby-key-lookup.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** how long our resolvers and those of receivers may cache an answer */
const TTL = HOUR;
/** far longer than a delivery worker caches a key, which is half a minute */
const KEY_CACHE = DAY;

/** Values over time at a name; a cache may return any value of the last hour. */
class History {
  private readonly changes: { at: number; value: string | undefined }[] = [];

  set(at: number, value: string | undefined): void {
    this.changes.push({ at, value });
  }

  at(time: number): string | undefined {
    return this.changes.findLast((change) => change.at <= time)?.value;
  }

  /** every value from `since` on */
  since(since: number): (string | undefined)[] {
    return [this.at(since), ...this.changes.flatMap(({ at, value }) => (at > since ? [value] : []))];
  }
}

/** A process, idle or in the middle of a step. */
interface Process {
  id: DomainId;
  seen: Observations;
}

interface SigningCache {
  id: DomainId;
  slot: DkimSlot;
  key: string;
  at: number;
}

/** Postgres, the zone, the resolvers, the owner and two delivery workers, with a clock that the test moves. */
class World {
  now = Date.parse('2026-01-05T08:00:00.000Z');
  switches = 0;
  private made = 0;
  private selector = 'managed';
  private intervalDays = 3;
  private zoneUp = true;
  private domain: SendingDomain;
  private activeSince = new Date(this.now);
  private hasSwitched = false;
  /** when the zone's server confirmed keys */
  private readonly told = new Map<string, number>();
  private readonly names = new Map<string, History>();
  /** a resolver answers as of this time; undefined = not at all */
  private readonly resolvers: { asOf: number; up: boolean }[] = [
    { asOf: this.now, up: true },
    { asOf: this.now, up: true },
  ];
  private readonly processes: (Process | undefined)[] = [];
  private readonly caches: (SigningCache | undefined)[] = [];

  constructor() {
    this.domain = this.added();
  }

  advance(ms: number): void {
    this.now += ms;
    for (const resolver of this.resolvers) resolver.asOf = Math.max(resolver.asOf, this.now - TTL);
  }

  refresh(nth: number, up: boolean): void {
    this.resolvers[nth] = { asOf: this.now, up };
  }

  zone(up: boolean): void {
    this.zoneUp = up;
  }

  /** Deleted and added again: another token, other keys. */
  renew(): void {
    for (const slot of [1, 2] as const) this.history(this.alias(slot)).set(this.now, undefined);
    this.domain = this.added();
  }

  /** the owner's records at the two hosts */
  owner(slot: DkimSlot, present: boolean): void {
    this.history(this.host(slot)).set(this.now, present ? this.alias(slot) : undefined);
  }

  update(intervalDays: number, selector: string): void {
    this.intervalDays = intervalDays;
    if (!isRotating(this.domain)) this.changeSelector(selector);
  }

  /** An operator may change the account's default at any time. */
  changeSelector(selector: string): void {
    if (this.selector === selector) return;
    this.selector = selector;
    this.domain = { ...this.domain, records: {} };
  }

  publish(): void {
    if (!this.zoneUp) return;
    for (const slot of [1, 2] as const) {
      const key = this.domain.publicKeys[slot]!;
      if (!this.told.has(key)) this.history(this.alias(slot)).set(this.now, key);
      this.told.set(key, this.told.get(key) ?? this.now);
    }
  }

  /**
   * A mistake of others removes the standby's name from the zone, which resolvers notice. A loss between a look-up and
   * the switch that follows cannot be noticed, so such look-ups are dropped.
   */
  lose(): void {
    if (this.domain.rotationSwitchedAt !== null) return;
    this.history(this.alias(otherSlot(this.domain.activeSlot))).set(this.now, undefined);
    this.resolvers.forEach((resolver) => (resolver.asOf = this.now));
    for (const [nth, process] of this.processes.entries()) {
      const at = process?.seen.standby?.at.getTime() ?? 0;
      if (at > this.now - 5 * MINUTE) this.processes[nth] = undefined;
    }
  }

  /** The background check of the records, as far as rotation depends on it. */
  check(nth: number): void {
    const resolver = this.resolvers[nth]!;
    if (!resolver.up) return;
    const sees = (slot: DkimSlot) => ({
      propagated: this.history(this.host(slot)).at(resolver.asOf) === this.alias(slot),
      lockedLabel: null,
      problem: null,
    });
    const { activeSlot } = this.domain;
    const records = { dkim: sees(activeSlot), dkim_standby: sees(otherSlot(activeSlot)) };
    this.domain = { ...this.domain, records };
  }

  /** First half of a step: its input is looked up or made. */
  observe(nth: number): void {
    const { needs } = this.step({});
    const seen =
      needs === 'standby' ? this.lookUp() : needs === 'fresh-key' ? { freshKey: this.newKey() } : {};
    this.processes[nth] = { id: this.domain.id, seen };
  }

  /** Second half, any time later: the transaction. */
  take(nth: number): void {
    const process = this.processes[nth];
    this.processes[nth] = undefined;
    if (!process || process.id !== this.domain.id) return;
    const before = this.domain;
    const step = this.step(process.seen);
    this.domain = domainAfterStep(before, step, new Date(this.now), process.seen.freshKey);
    if (step.move === 'switch') this.switched(before, this.domain);
  }

  /** A worker signs with its cached key, unless that is too old. */
  sign(nth: number): void {
    const kept = this.caches[nth];
    const isFresh = kept?.id === this.domain.id && this.now - kept.at < KEY_CACHE;
    const cache = isFresh ? kept : this.fetch(nth);
    if (!this.told.has(cache.key)) {
      // never published until now: its domain cannot be valid, and nothing is sent from it
      expect(this.history(this.alias(cache.slot)).since(0)).not.toContain(cache.key);
      return;
    }
    const published = this.history(this.alias(cache.slot));
    expect(published.at(this.now)).toBe(cache.key);
    // the key of a rotation has been published for longer than any cache keeps its absence
    if (this.hasSwitched) expect(new Set(published.since(this.now - TTL))).toEqual(new Set([cache.key]));
  }

  /** A worker fetches the key again. */
  fetch(nth: number): SigningCache {
    const { id, activeSlot, publicKeys } = this.domain;
    return (this.caches[nth] = { id, slot: activeSlot, key: publicKeys[activeSlot]!, at: this.now });
  }

  private step(seen: Observations): RotationStep {
    const slot = otherSlot(this.domain.activeSlot);
    const toldAt = this.told.get(this.domain.publicKeys[slot]!);
    const facts: RotationFacts = {
      activeSince: this.activeSince,
      intervalDays: this.intervalDays,
      standbyHost: this.host(slot),
      standbyPublishedAt: toldAt === undefined ? null : new Date(toldAt),
    };
    return nextRotationStep(this.domain, facts, seen, new Date(this.now));
  }

  private lookUp(): Observations {
    const domain = this.domain;
    const slot = otherSlot(domain.activeSlot);
    const key = domain.publicKeys[slot]!;
    const host = this.host(slot);
    const sights = this.resolvers.map(({ asOf, up }, nth) => {
      const verdict = (value: string | undefined) => (!up ? 'unknown' : value === key ? 'pass' : 'fail');
      const target = this.history(host).at(asOf);
      const throughHost = target === undefined ? undefined : this.history(target).at(asOf);
      const atAlias = this.history(this.alias(slot)).at(asOf);
      return { resolver: `${nth}`, alias: verdict(atAlias), host: verdict(throughHost) } as const;
    });
    const sight = sightOf(sights);
    // it is published again, but not while its absence may be cached
    const toldAt = this.told.get(key) ?? this.now;
    if (sight.seen === 'alias-missing' && toldAt < this.now - TTL) this.told.delete(key);
    return { standby: { at: new Date(this.now), key, host, ...sight } };
  }

  private switched(before: SendingDomain, after: SendingDomain): void {
    this.switches += 1;
    this.hasSwitched = true;
    this.activeSince = new Date(this.now);
    expect(after.activeSlot).toBe(otherSlot(before.activeSlot));
    // rule 5: the record that is required from now on has been seen
    expect(after.records.dkim?.propagated).toBe(true);
    const target = this.history(this.host(after.activeSlot)).since(this.now - TTL - 5 * MINUTE);
    expect(target).toContain(this.alias(after.activeSlot));
    // a day ago, and since then in every cache
    const key = after.publicKeys[after.activeSlot];
    const published = this.history(this.alias(after.activeSlot));
    expect(new Set(published.since(this.now - TTL))).toEqual(new Set([key]));
    expect(published.at(this.now - DAY)).toBe(key);
  }

  private history(name: string): History {
    const found = this.names.get(name) ?? new History();
    this.names.set(name, found);
    return found;
  }

  private host = (slot: DkimSlot): string => `${this.selector}${slot === 1 ? '' : '2'}._domainkey`;
  private alias = (slot: DkimSlot): string => `${this.domain.domainToken}.d${slot}`;
  private added(): SendingDomain {
    this.activeSince = new Date(this.now);
    this.hasSwitched = false;
    const id = `domain-${this.newKey()}` as DomainId;
    return exampleDomain({ id, domainToken: id, publicKeys: { 1: this.newKey(), 2: this.newKey() } });
  }

  private newKey(): string {
    this.made += 1;
    return `key-${this.made}`;
  }
}

type Action = [what: string, run: (world: World) => void];
const action = <T>(what: string, arbitrary: fc.Arbitrary<T>, run: (world: World, value: T) => void) =>
  arbitrary.map((value): Action => [`${what} ${JSON.stringify(value)}`, (world) => run(world, value)]);

const nothing = fc.constant(0);
const two = fc.constantFrom(0, 1);
const slots = fc.constantFrom<DkimSlot>(1, 2);
const selectors = fc.constantFrom('managed', 'other');
const times = fc.constantFrom(MINUTE, 5 * MINUTE, 30 * MINUTE, TTL, 6 * HOUR, DAY, 4 * DAY, 8 * DAY);

/** A whole step at once, so that rotations finish despite all disturbances. */
const round = action('round', fc.tuple(two, times), (world, [nth, ms]) => {
  world.publish();
  world.check(nth);
  world.observe(nth);
  world.take(nth);
  world.sign(nth);
  world.advance(ms);
  world.sign(1 - nth);
});

const disturbance = fc.oneof(
  action('advance', times, (world, ms) => world.advance(ms)),
  action('zone', fc.boolean(), (world, up) => world.zone(up)),
  action('owner', fc.tuple(slots, fc.boolean()), (world, [slot, on]) => world.owner(slot, on)),
  action('resolver', fc.tuple(two, fc.boolean()), (world, [nth, up]) => world.refresh(nth, up)),
  action('check', two, (world, nth) => world.check(nth)),
  action('observe', two, (world, nth) => world.observe(nth)),
  action('take', two, (world, nth) => world.take(nth)),
  action('sign', two, (world, nth) => world.sign(nth)),
  action('publish', nothing, (world) => world.publish()),
  action('lose', nothing, (world) => world.lose()),
  action('delete and add', nothing, (world) => world.renew()),
  action('update', fc.tuple(fc.constantFrom(1, 3, 10), selectors), (world, [days, selector]) =>
    world.update(days, selector),
  ),
  action('account selector', selectors, (world, selector) => world.changeSelector(selector)),
);

/** A process that is stopped in the middle of a step, while the others continue. */
const stopped = fc
  .tuple(two, fc.array(disturbance, { maxLength: 4 }), times)
  .map(([nth, meanwhile, ms]): Action => [
    `process ${nth} stopped: ${meanwhile.map(([what]) => what).join(', ')}, ${ms} ms`,
    (world) => {
      world.check(nth);
      world.observe(nth);
      for (const [, run] of meanwhile) run(world);
      world.advance(ms);
      world.take(nth);
      world.sign(nth);
    },
  ]);

/** The normal state without disturbances. */
const repair = action('repair', nothing, (world) => {
  world.zone(true);
  for (const slot of [1, 2] as const) world.owner(slot, true);
  for (const nth of [0, 1]) world.refresh(nth, true);
});

const actions = fc.array<Action>(
  fc.oneof(
    { weight: 6, arbitrary: round },
    { weight: 3, arbitrary: disturbance },
    { weight: 3, arbitrary: stopped },
    { weight: 2, arbitrary: repair },
  ),
  { minLength: 20, maxLength: 120 },
);

describe('never a signature with an unpublished key', () => {
  it('with any events in between, in any order', () => {
    let switches = 0;
    fc.assert(
      fc.property(actions, (all) => {
        const world = new World();
        for (const [, run] of all) run(world);
        switches += world.switches;
      }),
      { numRuns: 800 },
    );
    // a property of rotations without a switch would prove nothing
    expect(switches).toBeGreaterThan(200);
  });
});
