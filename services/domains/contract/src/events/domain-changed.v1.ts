import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** The facts about a sending domain that other services copy. */
export const DomainFacts = z.object({
  domain_id: z.string(),
  account_id: z.string(),
  domain: z.string(),
  dns_valid: z.boolean(),
  paused: z.boolean(),
  deleted: z.boolean(),
  sending_type: z.enum(['transactional', 'marketing']),
  /** null: its record is not verified and the service's own host is used */
  return_path_host: z.string().nullable(),
  tracking_host: z.string().nullable(),
  /** missing in facts of earlier releases */
  subscription_host: z.string().nullable().optional(),
  /** identifies the public key of the signing key: a change means that signatures change */
  signing_key: z.string().optional(),
  /**
   * Recipient of bounce reports (RFC 3464); left out when the domain has no value of its own. Look-ups of many domains
   * return the account's default in that case.
   */
  dsn_recipient: z.string().optional(),
  /** grows with every change of the row, so that a late event never overwrites a newer fact */
  revision: z.number().int(),
});
export type DomainFacts = z.infer<typeof DomainFacts>;

/**
 * How long a service may use the facts of a domain for sending, from the time of its request. A change that ends
 * sending is confirmed only after this time (ADR 95).
 */
export const DOMAIN_FACTS_USABLE_MS = 500;

/** A domain was made, checked, changed or deleted: its facts as they are now. */
export const DomainChanged = defineEvent({
  type: 'domain-changed',
  version: 1,
  stream: 'domains',
  data: DomainFacts,
  key: (data) => data.domain_id,
  examples: [
    {
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      domain: 'shop.test',
      dns_valid: true,
      paused: false,
      deleted: false,
      sending_type: 'transactional',
      return_path_host: 'rp.shop.test',
      tracking_host: null,
      subscription_host: 'unsub.shop.test',
      signing_key: 'pZGm1Av0IEBKARcz',
      revision: 3,
    },
  ],
});
