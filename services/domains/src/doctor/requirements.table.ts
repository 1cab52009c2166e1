import type { DoctorCheckId, DomainDoctor } from '@postmesh/domains-contract';
import type { CheckResult } from './check-result.js';

type Requirements = DomainDoctor['requirements'];
type Item = Requirements[number]['items'][number];
type Row = readonly [appliesTo: Item['applies_to'], text: string, ...checks: DoctorCheckId[]];

interface Provider {
  provider: Requirements[number]['provider'];
  source: string;
  rows: readonly Row[];
}

/**
 * Requirements of providers for senders, and the checks that decide each. The rows were written by copies of the pages
 * (github.com/azumakuniyuki/feb-2024-no-auth-no-entry, dmarcguy.com), not by the pages themselves: compare them with the
 * source before a change.
 */
const REQUIREMENTS: readonly Provider[] = [
  {
    provider: 'gmail',
    source: 'https://support.google.com/a/answer/81126',
    rows: [
      ['all', 'SPF or DKIM for the domain', 'spf', 'dkim'],
      ['all', 'Names of sending addresses that lead back to them', 'ptr'],
      ['all', 'TLS for every delivery', 'tls'],
      ['all', 'Less than 0.3 % reported as spam', 'complaints'],
      ['bulk', 'SPF for the domain', 'spf'],
      ['bulk', 'DKIM for the domain', 'dkim'],
      ['bulk', 'A DMARC policy, p=none at least', 'dmarc'],
      ['bulk', 'From aligned with SPF or DKIM', 'alignment'],
      ['bulk', 'Unsubscribe with one click in marketing mail', 'one_click'],
    ],
  },
  {
    provider: 'outlook',
    source: 'https://sendersupport.olc.protection.outlook.com/pm/policies',
    rows: [
      ['bulk', 'SPF passes for the domain', 'spf'],
      ['bulk', 'DKIM passes for the domain', 'dkim'],
      ['bulk', 'A DMARC policy, p=none at least', 'dmarc'],
      ['bulk', 'From aligned with SPF or DKIM', 'alignment'],
      ['advised', 'A way to unsubscribe that works', 'one_click'],
      ['advised', 'Few complaints', 'complaints'],
    ],
  },
];

/** A warning meets a requirement, which asks for less than the best. */
export function requirementsOf(checks: readonly CheckResult[]): Requirements {
  const states = new Map(checks.map(({ id, state }) => [id, state]));
  const met = (ids: readonly DoctorCheckId[]): boolean | null => {
    const found = ids.map((id) => states.get(id) ?? 'unknown');
    if (found.some((state) => state === 'ok' || state === 'warning')) return true;
    return found.includes('unknown') ? null : false;
  };
  return REQUIREMENTS.map(({ provider, source, rows }) => ({
    provider,
    source,
    items: rows.map(([appliesTo, text, ...ids]) => ({
      text,
      applies_to: appliesTo,
      checks: ids,
      met: met(ids),
    })),
  }));
}
