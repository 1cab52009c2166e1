import type { DomainDnsFailed } from '@postmesh/contracts';
import { publicTime, type PublicEvent } from './public-event.rules.js';

type DnsFailed = ReturnType<typeof DomainDnsFailed.make>['data'];

/** `domain.dns_error`: a domain that could send no longer can (spec 2-messages §19.3). */
export function dnsErrorOf(failed: DnsFailed): PublicEvent {
  return {
    flag: 'on_dns_error',
    accountId: failed.account_id,
    domain: failed.domain,
    happenedAt: failed.dns_last_checked_at,
    data: {
      domain: failed.domain,
      account_id: failed.account_id,
      spf_valid: failed.spf_valid,
      dkim_valid: failed.dkim_valid,
      dmarc_valid: failed.dmarc_valid,
      dns_last_checked_at: publicTime(failed.dns_last_checked_at),
    },
  };
}
