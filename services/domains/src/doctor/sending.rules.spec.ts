import { expect, it } from 'vitest';
import { DOCTOR_CHECKS, type DoctorFigures } from '@postmesh/domains-contract';
import { ok } from './check-result.js';
import { requirementsOf } from './requirements.table.js';
import { judgeSending } from './sending.rules.js';

const FIGURES: DoctorFigures = {
  at: '2026-11-28T05:00:00.000Z',
  days: 30,
  delivered: 10_000,
  complained: 5,
  bulk: 0,
  sessions: { encrypted: 100, plain: 0 },
  secure_links: true,
};
const states = (change: Partial<DoctorFigures> = {}, isMarketing = false, spam?: number) =>
  judgeSending(
    { ...FIGURES, ...change },
    { isMarketing, gmail: spam === undefined ? undefined : { value: spam, day: '2026-11-25' } },
  ).map(({ id, state }) => `${id} ${state}`);

it.each([
  [{}, 'complaints ok'],
  [{ complained: 10 }, 'complaints warning'],
  [{ complained: 30 }, 'complaints fault'],
  [{ delivered: 199, complained: 3 }, 'complaints unknown'],
  [{ sessions: { encrypted: 99, plain: 1 } }, 'tls warning'],
  [{ sessions: { encrypted: 0, plain: 0 } }, 'tls unknown'],
  [{ secure_links: false }, 'one_click ok'],
  [{ secure_links: false, bulk: 1 }, 'one_click fault'],
])('%j: %s', (change, expected) => expect(states(change)).toContain(expected));

it('a domain for marketing needs https in its links before its first campaign', () => {
  expect(states({ secure_links: false }, true)).toContain('one_click fault');
});

it('the share of Gmail counts where it is the larger one, also for little mail of ours', () => {
  expect(states({}, false, 0.0031)).toContain('complaints fault');
  expect(states({ complained: 30 }, false, 0)).toContain('complaints fault');
  expect(states({ delivered: 0 }, false, 0.0002)).toContain('complaints ok');
});

it('without figures nothing is known', () => {
  expect(judgeSending(undefined, { isMarketing: false }).map(({ state }) => state)).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
});

it('requirements of providers are met by checks, of which some accept one of two', () => {
  const all = DOCTOR_CHECKS.map((id) => ok(id, { text: '' }));
  const items = (checks = all) =>
    requirementsOf(checks).flatMap(({ provider, items: rows }) =>
      rows.map(
        ({ applies_to, checks: ids, met }) => [`${provider} ${applies_to} ${ids.join()}`, met] as const,
      ),
    );
  expect(items().every(([, met]) => met === true)).toBe(true);
  const noSpf = new Map(items(all.map((one) => (one.id === 'spf' ? { ...one, state: 'fault' } : one))));
  expect(noSpf.get('gmail all spf,dkim')).toBe(true);
  expect(noSpf.get('gmail bulk spf')).toBe(false);
  const noTls = new Map(items(all.filter(({ id }) => id !== 'tls')));
  expect(noTls.get('gmail all tls')).toBeNull();
});
