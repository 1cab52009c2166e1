import { z } from 'zod';

/** Most refused requests of an account in one report; further ones are counted. */
export const MAX_REFUSED_PER_REPORT = 50;

/** A request with a known key, or a command of a logged-in SMTP session, that was refused or has failed. */
export const RefusedRequest = z.object({
  /** over HTTP the id of the request */
  id: z.uuid(),
  at: z.iso.datetime(),
  protocol: z.enum(['http', 'smtp']),
  /** of the API key or the SMTP credential */
  key_id: z.uuid(),
  /** method of HTTP, or command of SMTP */
  method: z.string().max(20),
  /** null: an unknown path, or SMTP */
  operation: z.string().max(100).nullable(),
  /** with the names in its query; null: SMTP */
  path: z.string().max(1_001).nullable(),
  status: z.number().int().min(400).max(599),
  message: z.string().max(501),
  /** as in log lines; over SMTP the id of the session */
  request_id: z.string().max(64),
  client_ip: z.string().max(64),
  /** over SMTP the name in EHLO */
  user_agent: z.string().max(301),
  /** null: SMTP */
  duration_ms: z.number().int().min(0).nullable(),
});
export type RefusedRequest = z.infer<typeof RefusedRequest>;

/**
 * `POST /internal/refused-requests` of the accounts service: what a gateway has refused, by account (decision 124). A
 * report that is repeated adds no row twice.
 */
export const RefusedRequests = z.object({
  accounts: z.record(
    z.uuid(),
    z.object({
      requests: z.array(RefusedRequest).max(MAX_REFUSED_PER_REPORT),
      /** further ones, of which the gateway has the number only */
      left_out: z.number().int().min(0),
    }),
  ),
});
export type RefusedRequests = z.infer<typeof RefusedRequests>;
