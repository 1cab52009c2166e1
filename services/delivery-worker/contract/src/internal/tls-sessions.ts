import { z } from 'zod';

/** RFC 8460 §4.2. */
export const TLS_POLICY_TYPES = ['tlsa', 'sts', 'no-policy-found'] as const;
export type TlsPolicyType = (typeof TLS_POLICY_TYPES)[number];

/** Most policy domains of one page. */
export const TLS_SESSIONS_PAGE = 100;

/** Sessions with the hosts of a domain in a day, by policy. */
export const TlsDomainSessions = z.object({
  policy_domain: z.string(),
  policies: z.array(
    z.object({
      type: z.enum(TLS_POLICY_TYPES),
      /** the policy, line by line */
      text: z.array(z.string()),
      succeeded: z.int(),
      failed: z.int(),
      /** those with most sessions */
      failures: z.array(z.object({ result: z.string(), mx_host: z.string(), sessions: z.int() })),
    }),
  ),
});
export type TlsDomainSessions = z.infer<typeof TlsDomainSessions>;

/** `GET /internal/tls-sessions?day=&after=` of the delivery worker: domains in their order, after one. */
export const TlsSessionsPage = z.object({ domains: z.array(TlsDomainSessions) });
export type TlsSessionsPage = z.infer<typeof TlsSessionsPage>;
