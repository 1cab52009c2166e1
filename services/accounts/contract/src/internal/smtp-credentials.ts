import { z } from 'zod';
import { AccountFacts } from '@postmesh/contracts';
import { Rehash } from './api-keys.js';

/** `POST /internal/smtp-credentials/lookup` of the accounts service, for logins at a listener. */
export const SmtpCredentialLookup = z.object({
  /** as presented by clients; an invalid username is no error, it has no credential */
  usernames: z.array(z.string().max(1_000)).min(1).max(100),
});
export type SmtpCredentialLookup = z.infer<typeof SmtpCredentialLookup>;

/**
 * Everything that a gateway needs to check a login and each MAIL FROM of its session. It may be cached under a cache
 * lease like a key: a change names `credential_id` among the `key_ids`, or the account (CacheLeaseResponse).
 */
export const KnownSmtpCredential = z.object({
  credential_id: z.uuid(),
  username: z.string(),
  /** HMAC of the password under one of the accepted peppers, base64: for `Pepper.matches` */
  password_hash: z.base64(),
  /** id of the pepper key of the hash; where it is not the current one, the gateway reports a login (SmtpRehashes) */
  pepper_id: z.string(),
  account_id: z.uuid(),
  /** every message through it is simulated (spec 1-platform §12) */
  sandbox: z.boolean(),
  scope: z.enum(['global', 'scoped']),
  /** sending domains of a scoped credential; empty when all were deleted */
  domains: z.array(z.string()),
  /** blocked by the operator: 521 at MAIL FROM, as for a suspended account (spec 1-platform §2.5) */
  blocked: z.boolean(),
  account: AccountFacts,
});
export type KnownSmtpCredential = z.infer<typeof KnownSmtpCredential>;

export const SmtpCredentialLookupResponse = z.object({
  /** the revision of all keys and credentials at which this response was read; see CacheLeaseResponse */
  revision: z.number().int(),
  /** credentials that do not exist or belong to a deleted account are left out: 535 */
  credentials: z.array(KnownSmtpCredential),
});
export type SmtpCredentialLookupResponse = z.infer<typeof SmtpCredentialLookupResponse>;

/** `POST /internal/smtp-credentials/rehash`: passwords that logged in, whose stored hash is under an older pepper. */
export const SmtpRehashes = z.object({ rehashes: z.array(Rehash).max(1_000) });
export type SmtpRehashes = z.infer<typeof SmtpRehashes>;
