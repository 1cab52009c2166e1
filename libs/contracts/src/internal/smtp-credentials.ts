import { z } from 'zod';
import { AccountFacts } from '../principal/principal.js';
import { Rehash } from './api-keys.js';

/** `POST /internal/smtp-credentials/lookup` of the accounts service, for who is logging in at a listener. */
export const SmtpCredentialLookup = z.object({
  /** as they were presented; what cannot be a username is no error, it is nobody's */
  usernames: z.array(z.string().max(1_000)).min(1).max(100),
});
export type SmtpCredentialLookup = z.infer<typeof SmtpCredentialLookup>;

/**
 * Everything that a gateway needs to let a login pass and to judge each MAIL FROM of its session. It may be kept under
 * a cache lease like a key: a change names `credential_id` among the `key_ids`, or the account (CacheLeaseResponse).
 */
export const KnownSmtpCredential = z.object({
  credential_id: z.uuid(),
  username: z.string(),
  /** HMAC of the password under one of the accepted peppers, base64: for `Pepper.matches` */
  password_hash: z.base64(),
  /** of the key that hashed it; where it is not the current one, the gateway reports a login (SmtpRehashes) */
  pepper_id: z.string(),
  account_id: z.uuid(),
  /** every message through it is simulated (spec 1-platform §12) */
  sandbox: z.boolean(),
  scope: z.enum(['global', 'scoped']),
  /** what a scoped one may send from; none is left when they were all deleted */
  domains: z.array(z.string()),
  /** by the operator: 521 at MAIL FROM, as for a suspended account (spec 1-platform §2.5) */
  blocked: z.boolean(),
  account: AccountFacts,
});
export type KnownSmtpCredential = z.infer<typeof KnownSmtpCredential>;

export const SmtpCredentialLookupResponse = z.object({
  /** the state of all keys and credentials that this response was read at; see CacheLeaseResponse */
  revision: z.number().int(),
  /** credentials that do not exist, or whose account is deleted, are left out: 535 */
  credentials: z.array(KnownSmtpCredential),
});
export type SmtpCredentialLookupResponse = z.infer<typeof SmtpCredentialLookupResponse>;

/** `POST /internal/smtp-credentials/rehash`: passwords that logged in, whose stored hash is under an older pepper. */
export const SmtpRehashes = z.object({ rehashes: z.array(Rehash).max(1_000) });
export type SmtpRehashes = z.infer<typeof SmtpRehashes>;
