import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** A domain that could send no longer can (spec 1-platform §11.5). */
export const DomainDnsFailed = defineEvent({
  type: 'domain-dns-failed',
  version: 1,
  stream: 'domains',
  data: z.object({
    domain_id: z.string(),
    account_id: z.string(),
    domain: z.string(),
    spf_valid: z.boolean(),
    dkim_valid: z.boolean(),
    dmarc_valid: z.boolean(),
    dns_last_checked_at: z.string(),
  }),
  key: (data) => data.domain_id,
  examples: [
    {
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      domain: 'shop.test',
      spf_valid: true,
      dkim_valid: false,
      dmarc_valid: true,
      dns_last_checked_at: '2026-01-05T10:00:00.000Z',
    },
  ],
});
