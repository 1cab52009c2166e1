import { z } from 'zod';

export const MAX_MAIL_DOMAINS = 100;

/**
 * `POST /internal/mail-hosts` of the delivery worker: whether domains accept mail, by DNS alone and by the results of
 * deliveries to them. A domain that is listed twice is looked up once.
 */
export const MailHostsRequest = z.object({ domains: z.array(z.string().max(255)).max(MAX_MAIL_DOMAINS) });
export type MailHostsRequest = z.infer<typeof MailHostsRequest>;

/** `unknown`: DNS gave no answer, or none in time. */
export const MailHosts = z.enum(['found', 'no_such_domain', 'null_mx', 'unknown']);
export type MailHosts = z.infer<typeof MailHosts>;

/** In the order of the request. */
export const MailHostsResponse = z.object({
  domains: z.array(z.object({ domain: z.string(), hosts: MailHosts })),
});
export type MailHostsResponse = z.infer<typeof MailHostsResponse>;
