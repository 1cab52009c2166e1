import { createHash } from 'node:crypto';
import { DomainChanged, DomainDnsFailed, type DomainFacts } from '@postmesh/domains-contract';
import type { EventEnvelope } from '@postmesh/contracts';
import { hasPropagated, isDnsValid, type SendingDomain, type SubdomainKind } from '../database/entities.js';

/** The facts of a domain for other services. */
export function domainFacts(domain: SendingDomain): DomainFacts {
  return {
    domain_id: domain.id,
    account_id: domain.accountId,
    domain: domain.domain,
    dns_valid: isDnsValid(domain),
    paused: domain.pausedAt !== null,
    deleted: false,
    sending_type: domain.sendingType,
    return_path_host: verifiedHost(domain, 'return_path'),
    tracking_host: verifiedHost(domain, 'tracking'),
    subscription_host: verifiedHost(domain, 'subscription'),
    signing_key: fingerprint(domain.publicKeys[domain.activeSlot] ?? ''),
    ...(domain.dsnRecipient === null ? {} : { dsn_recipient: domain.dsnRecipient }),
    revision: domain.revision,
  };
}

const fingerprint = (publicKey: string): string =>
  createHash('sha256').update(publicKey).digest('base64url').slice(0, 16);

/** A record that was seen has a locked label; null before. */
function verifiedHost(domain: SendingDomain, kind: SubdomainKind): string | null {
  const record = domain.records[kind];
  return record?.propagated && record.lockedLabel !== null ? `${record.lockedLabel}.${domain.domain}` : null;
}

/** Whether links of the domain begin with this host: of tracking, unsubscribing or media. */
export const isLinkHost = (domain: SendingDomain, host: string): boolean =>
  (['tracking', 'subscription', 'media'] as const).some((kind) => verifiedHost(domain, kind) === host);

/** The facts of a deleted domain. */
export function deletedFacts(domain: SendingDomain): DomainFacts {
  return { ...domainFacts(domain), dns_valid: false, deleted: true, revision: domain.revision + 1 };
}

/** Whether the difference is visible to other services. */
export function factsDiffer(before: SendingDomain, after: SendingDomain): boolean {
  const comparable = (domain: SendingDomain) => JSON.stringify({ ...domainFacts(domain), revision: 0 });
  return comparable(before) !== comparable(after);
}

export const domainChanged = (facts: DomainFacts, at: Date): EventEnvelope =>
  DomainChanged.make(facts, { account_id: facts.account_id, occurred_at: at });

export function domainDnsFailed(domain: SendingDomain, at: Date): EventEnvelope {
  const data = {
    domain_id: domain.id,
    account_id: domain.accountId,
    domain: domain.domain,
    spf_valid: hasPropagated(domain, 'spf'),
    dkim_valid: hasPropagated(domain, 'dkim'),
    dmarc_valid: hasPropagated(domain, 'dmarc'),
    dns_last_checked_at: at.toISOString(),
  };
  return DomainDnsFailed.make(data, { account_id: domain.accountId, occurred_at: at });
}
