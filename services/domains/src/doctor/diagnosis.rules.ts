import { DOCTOR_CHECKS, type DoctorFigures, type DomainDoctor } from '@postmesh/domains-contract';
import { judgePtr } from './addresses.rules.js';
import { judgeBimi } from './bimi.rules.js';
import { judgeAddressLists, judgeDomainLists } from './block-lists.rules.js';
import type { CheckResult } from './check-result.js';
import type { SeenAddresses, SeenDomain } from './look-around.js';
import type { Seen } from './memory.js';
import { judgeRecords } from './records.rules.js';
import { requirementsOf } from './requirements.table.js';
import { judgeSending } from './sending.rules.js';
import { judgeSts, judgeTlsRpt } from './transport.rules.js';

interface Facts {
  domain: Seen<SeenDomain>;
  addresses: Seen<SeenAddresses>;
  figures: DoctorFigures | undefined;
  views: DomainDoctor['views'];
  addressViews: DomainDoctor['address_views'];
  feedbackViews: DomainDoctor['feedback_views'];
  isMarketing: boolean;
  now: Date;
}

/** All checks in their order, each with the time of its facts. */
export function diagnose(facts: Facts): DomainDoctor {
  const { domain, addresses, figures, views, addressViews, feedbackViews, isMarketing, now } = facts;
  const { records, transport, bimi, lists } = domain.what;
  const gmail = views
    .find(({ provider }) => provider === 'gmail')
    ?.figures.find(({ figure }) => figure === 'spam_rate');
  const at = (time: string, checks: readonly CheckResult[]) =>
    checks.map((check) => ({ ...check, checked_at: time }));
  const checks = [
    ...at(domain.at.toISOString(), [
      ...judgeRecords(records),
      judgeDomainLists(records.domain, lists),
      judgeSts(transport),
      judgeTlsRpt(transport),
      judgeBimi(bimi),
    ]),
    ...at(addresses.at.toISOString(), [
      judgePtr(addresses.what.addresses),
      judgeAddressLists(addresses.what.addresses.length, addresses.what.lists),
    ]),
    ...at(figures?.at ?? now.toISOString(), judgeSending(figures, { isMarketing, gmail })),
  ];
  const place = new Map(DOCTOR_CHECKS.map((id, nth) => [id, nth]));
  const sorted = checks.toSorted((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0));
  return {
    object: 'domain_doctor',
    domain: records.domain,
    checks: sorted,
    requirements: requirementsOf(sorted),
    views,
    address_views: addressViews,
    feedback_views: feedbackViews,
  };
}
