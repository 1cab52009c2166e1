import { z } from 'zod';

/** `GET /internal/accounts/{account_id}/domains/{domain}` of the domains service; 404 when not owned. */
export const OwnedDomain = z.object({ domain_id: z.uuid(), domain: z.string() });
export type OwnedDomain = z.infer<typeof OwnedDomain>;
