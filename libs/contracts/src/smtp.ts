import { z } from 'zod';
import { AccountId, DomainId } from './ids.js';

export const MAX_SMTP_RECIPIENTS = 50;

/** An account with an enabled route for a recipient, and the domain of that route. */
export const InboundOwner = z.object({ account_id: AccountId, domain_id: DomainId, domain: z.string() });
export type InboundOwner = z.infer<typeof InboundOwner>;
