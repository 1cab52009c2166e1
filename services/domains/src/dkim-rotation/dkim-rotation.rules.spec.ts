import { describe, expect, it } from 'vitest';
import type { SendingDomain } from '../database/entities.js';
import { exampleDomain } from '../testing/example-domain.js';
import {
  domainAfterStep,
  isRotating,
  nextRotationStep,
  type Observations,
  type RotationFacts,
  type StandbySight,
} from './dkim-rotation.rules.js';
import { sightOf } from './standby-key-lookup.js';

const DAY = 86_400_000;
const START = new Date('2026-01-05T08:00:00.000Z');
const day = (days: number) => new Date(START.getTime() + days * DAY);
const FACTS: RotationFacts = {
  activeSince: START,
  intervalDays: 90,
  standbyPublishedAt: START,
  standbyHost: 'managed2._domainkey.mail.example.com',
};
const verdict = (propagated: boolean) => ({ propagated, lockedLabel: null, problem: null });
const READY = { dkim: verdict(true), dkim_standby: verdict(true) };
const ready = (given: Partial<SendingDomain> = {}) => exampleDomain({ records: READY, ...given });

const sight = (seen: StandbySight['seen'], at: Date, more: Partial<StandbySight> = {}): Observations => ({
  standby: { at, key: 'BBBB', host: FACTS.standbyHost, seen, detail: 'by 192.0.2.1', ...more },
});
const step = (domain: SendingDomain, seen: Observations, now: Date, facts = FACTS) =>
  nextRotationStep(domain, facts, seen, now);

const publishing = ready({ rotationStartedAt: day(90) });
const verified = ready({ rotationStartedAt: day(90), rotationVerifiedAt: day(90) });
const retiring = ready({ activeSlot: 2, rotationSwitchedAt: day(91) });

describe('§11.7 rule 3: a rotation begins', () => {
  it.each<[string, SendingDomain, RotationFacts, Date, object]>([
    [
      'not before its day, which is checked daily',
      ready(),
      FACTS,
      day(3),
      { move: 'wait', reason: 'the key signs until 2026-04-05T08:00:00.000Z', nextAt: day(4) },
    ],
    ['not before its day, to the minute', ready(), FACTS, day(89.9), { move: 'wait', nextAt: day(90) }],
    ['on its day', ready(), FACTS, day(90), { move: 'start', nextAt: day(90) }],
    ['after the interval in force', ready(), { ...FACTS, intervalDays: 30 }, day(30), { move: 'start' }],
    [
      'not while the standby record is not seen; it is checked again a day later',
      ready({ records: { ...READY, dkim_standby: verdict(false) } }),
      FACTS,
      day(90),
      { move: 'wait', nextAt: day(91), reason: 'the DKIM standby record of the domain is not seen in DNS' },
    ],
    [
      'not while the selector moves to another one',
      ready({ lockedSelector: 'managed', nextSelector: 'mine' }),
      FACTS,
      day(90),
      { move: 'wait', nextAt: day(91) },
    ],
    [
      'not before the record was judged at all',
      ready({ records: {} }),
      FACTS,
      day(90),
      { move: 'wait', nextAt: day(91) },
    ],
  ])('%s', (_what, domain, facts, now, expected) => {
    expect(step(domain, {}, now, facts)).toMatchObject(expected);
  });
});

describe('§11.7 rule 4: a rotation continues', () => {
  it.each<[string, SendingDomain, Observations, Date, object]>([
    ['needs the standby key', publishing, {}, day(90), { move: 'wait', needs: 'standby' }],
    [
      'sees it everywhere',
      publishing,
      sight('everywhere', day(90)),
      day(90),
      { move: 'verify', nextAt: day(91) },
    ],
    [
      'waits a day, whatever is seen',
      verified,
      sight('everywhere', day(90.9)),
      day(90.9),
      { move: 'wait', nextAt: day(91) },
    ],
    ['checks again after the day', verified, {}, day(91), { move: 'wait', needs: 'standby' }],
    ['switches', verified, sight('everywhere', day(91)), day(91), { move: 'switch', nextAt: day(98) }],
    ['keeps the old key', retiring, {}, day(97.9), { move: 'wait', nextAt: day(98) }],
    ['needs a fresh key', retiring, {}, day(98), { move: 'wait', needs: 'fresh-key' }],
    ['replaces it', retiring, { freshKey: 'CCCC' }, day(98), { move: 'replace', nextAt: day(98) }],
    [
      'makes a standby key that is missing',
      ready({ publicKeys: { 1: 'AAAA' } }),
      {},
      day(1),
      { needs: 'fresh-key' },
    ],
  ])('%s', (_what, domain, seen, now, expected) => {
    expect(step(domain, seen, now)).toMatchObject(expected);
  });

  it.each<[string, SendingDomain, Observations, Date, object]>([
    [
      'another key was seen',
      verified,
      sight('everywhere', day(91), { key: 'CCCC' }),
      day(91),
      { needs: 'standby' },
    ],
    [
      'another host was seen',
      verified,
      sight('everywhere', day(91), { host: 'x' }),
      day(91),
      { needs: 'standby' },
    ],
    [
      'it was seen some minutes ago',
      verified,
      sight('everywhere', day(90.99)),
      day(91),
      { needs: 'standby' },
    ],
    [
      'a resolver does not answer',
      verified,
      sight('unknown', day(91)),
      day(91),
      { move: 'wait', reason: /by 192.0.2.1/ },
    ],
    [
      'our zone lost it: the day begins again',
      verified,
      sight('alias-missing', day(91)),
      day(91),
      { move: 'unverify' },
    ],
    [
      'our zone does not have it yet',
      publishing,
      sight('alias-missing', day(90)),
      day(90),
      { move: 'wait', reason: /not seen/ },
    ],
    [
      'the owner withdrew the record',
      verified,
      sight('host-missing', day(91)),
      day(91),
      { move: 'abandon', nextAt: day(92) },
    ],
    ['trouble lasts', publishing, sight('unknown', day(93)), day(93), { move: 'abandon', nextAt: day(94) }],
    [
      'the last check did not see the record',
      { ...verified, records: { ...READY, dkim_standby: verdict(false) } },
      sight('everywhere', day(91)),
      day(91),
      { move: 'abandon', nextAt: day(92) },
    ],
  ])('never switches when %s', (_what, domain, seen, now, expected) => {
    const { reason, ...rest } = expected as { reason?: RegExp };
    const found = step(domain, seen, now);
    expect(found).toMatchObject(rest);
    if (reason) expect(found.reason).toMatch(reason);
  });
});

it('§11.7 rule 4: a key that was published again waits a day again', () => {
  const facts = { ...FACTS, standbyPublishedAt: day(90.5) };
  expect(step(verified, sight('everywhere', day(91)), day(91), facts)).toMatchObject({
    move: 'wait',
    nextAt: day(91.5),
  });
  expect(step(verified, sight('everywhere', day(91.5)), day(91.5), facts).move).toBe('switch');
});

it.each([
  ['by us and is not yet written', null, 'wait'],
  ['by others', undefined, 'switch'],
])('a key that is published %s', (_what, standbyPublishedAt, move) => {
  const facts = { ...FACTS, standbyPublishedAt };
  expect(step(verified, sight('everywhere', day(91)), day(91), facts).move).toBe(move);
});

describe('the domain after a step', () => {
  const take = (domain: SendingDomain, seen: Observations, now: Date) => {
    const taken = step(domain, seen, now);
    return domainAfterStep(domain, taken, now, seen.freshKey);
  };

  it('is in progress from the publication to the switch', () => {
    const started = take(ready(), {}, day(90));
    expect(isRotating(started)).toBe(true);
    const seen = take(started, sight('everywhere', day(90)), day(90));
    expect([isRotating(seen), seen.activeSlot, seen.rotationVerifiedAt]).toEqual([true, 1, day(90)]);
    const switched = take(seen, sight('everywhere', day(91)), day(91));
    expect([isRotating(switched), switched.activeSlot, switched.revision]).toEqual([false, 2, 2]);
    const replaced = take(switched, { freshKey: 'CCCC' }, day(98));
    expect(replaced).toMatchObject({ publicKeys: { 1: 'CCCC', 2: 'BBBB' }, rotationSwitchedAt: null });
    expect(replaced.rotationNextAt).toEqual(day(98));
  });

  it('§11.7 rule 5: has its required record seen, since the record states move with the hosts', () => {
    const records = { dkim_standby: verdict(true), spf: verdict(true) };
    const before = { ...verified, records };
    const after = take(before, sight('everywhere', day(91)), day(91));
    expect(after.records).toEqual({
      dkim: verdict(true),
      dkim_standby: verdict(false),
      spf: verdict(true),
    });
  });

  it('begins again after it was abandoned', () => {
    const after = take(verified, sight('host-missing', day(91)), day(91));
    expect(after).toMatchObject({ rotationStartedAt: null, rotationVerifiedAt: null, activeSlot: 1 });
  });
});

describe('the combined answers of resolvers', () => {
  const one = (alias: 'pass' | 'fail' | 'unknown', host = alias, resolver = 'a') => ({
    resolver,
    alias,
    host,
  });
  it.each([
    [[one('pass'), one('pass')], 'everywhere'],
    [[one('pass'), one('fail')], 'alias-missing'],
    [[one('unknown'), one('fail')], 'alias-missing'],
    [[one('pass', 'fail'), one('unknown')], 'host-missing'],
    [[one('pass'), one('pass', 'unknown')], 'unknown'],
    [[], 'unknown'],
  ])('%j: %s', (sights, seen) => {
    expect(sightOf(sights).seen).toBe(seen);
  });
  it('names the resolvers without it', () => {
    expect(sightOf([one('pass', 'pass', 'a'), one('fail', 'fail', 'b')]).detail).toBe(
      'not at our alias by b',
    );
  });
});
