import { z } from 'zod';
import { AccountId, DomainId } from '@postmesh/contracts';

/** `GET /internal/accounts/{account_id}/domains/{domain}` of the domains service; 404 when not owned. */
export const OwnedDomain = z.object({ domain_id: z.uuid(), domain: z.string() });
export type OwnedDomain = z.infer<typeof OwnedDomain>;

/** `POST /internal/domains/counts` of the domains service: how many domains each account owns now. */
export const DomainCountsRequest = z.object({ account_ids: z.array(z.uuid()).max(1_000) });
export const DomainCounts = z.object({
  /** accounts that own none are left out */
  counts: z.array(z.object({ account_id: z.uuid(), domain_count: z.number().int() })),
});
export type DomainCounts = z.infer<typeof DomainCounts>;

/** `GET /internal/accounts/{account_id}/domains?after=<domain>` of the domains service: names of the account, ascending. */
export const DomainNamesPage = z.object({
  domains: z.array(z.string()).max(1_000),
  /** where the next page begins; null at the end */
  next: z.string().nullable(),
});
export type DomainNamesPage = z.infer<typeof DomainNamesPage>;

/** `GET /internal/link-hosts/{host}` of the domains service; 404 for a host that no domain has for its links. */
export const LinkHost = z.object({ host: z.string() });
export type LinkHost = z.infer<typeof LinkHost>;

/**
 * `POST /internal/domains/owners` of the domains service: the owners of inbound mail for domains. Several accounts may
 * have the same name; those with a DNS-valid copy own it together, else one account alone (ADR 49).
 */
export const DomainOwnersRequest = z.object({ domains: z.array(z.string()).max(1_000) });
export const DomainOwners = z.object({
  /** domains without an owner are left out */
  owners: z.array(z.object({ account_id: AccountId, domain_id: DomainId, domain: z.string() })),
});
export type DomainOwners = z.infer<typeof DomainOwners>;
