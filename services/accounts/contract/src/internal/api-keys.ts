import { z } from 'zod';
import { Principal } from '@postmesh/contracts';

/**
 * The gateway's look-up of keys (`POST /internal/keys/lookup`) and of sessions (`POST /internal/sessions/lookup`) in the
 * accounts service: by hash, never by secret.
 */
export const KeyLookup = z.object({
  /** HMACs of the presented secrets under every accepted pepper, base64 */
  hashes: z.array(z.base64()).min(1).max(1_000),
});
export type KeyLookup = z.infer<typeof KeyLookup>;

/**
 * `POST /internal/ses-credentials/lookup` of the accounts service: keys by their access keys. The response is that of keys,
 * with the access key id as `hash`.
 */
export const SesKeyLookup = z.object({
  access_key_ids: z.array(z.string().min(1).max(128)).min(1).max(1_000),
});
export type SesKeyLookup = z.infer<typeof SesKeyLookup>;

export const RateLimit = z.object({
  per_second: z.number().int().min(1).max(1_000_000),
  burst: z.number().int().min(1).max(1_000_000),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** Everything that the gateway needs to check requests of this key. */
export const KnownKey = z.object({
  /** the requested hash of this key */
  hash: z.string(),
  /** id of the pepper key of the hash; null = not known. Missing from an accounts service of an older release */
  pepper_id: z.string().nullish(),
  principal: Principal,
  /** canonical CIDR blocks; empty = no restriction (spec 1-platform §3) */
  ip_allow_list: z.array(z.string()),
  /** blocked by the operator: every request is rejected (spec 1-platform §2.5) */
  blocked: z.boolean(),
  last_used_at: z.iso.datetime().nullable(),
  /** the account's own limits, set by the operator; null = those of the settings (spec 1-platform §5) */
  rate_limits: z
    .object({
      general: RateLimit.nullable(),
      statistics: RateLimit.nullable(),
    })
    .nullable()
    .default(null),
  /** of a session: from then on it has to be looked up again; keys have none */
  valid_until: z.iso.datetime().optional(),
  /** of a session whose member confirms changes: until then the last confirmation is enough */
  confirmed_until: z.iso.datetime().optional(),
  /** what the member confirms with. Missing from an accounts service of an older release: a passkey */
  confirmed_by: z.array(z.enum(['passkey', 'oidc'])).optional(),
  /** of a key that was found by its access key: checks signatures; bound to `ses-credential/<key id>` */
  sealed_signing_secret: z.string().optional(),
});
export type KnownKey = z.infer<typeof KnownKey>;

export const KeyLookupResponse = z.object({
  /** the revision of all keys at which this response was read; see CacheLeaseResponse */
  revision: z.number().int(),
  /** keys that do not exist or belong to a deleted account are left out */
  keys: z.array(KnownKey),
});
export type KeyLookupResponse = z.infer<typeof KeyLookupResponse>;

/** Two hashes of one verified secret: the stored one and the one under the current pepper. */
export const Rehash = z.object({ from: z.base64(), to: z.base64(), pepper_id: z.string().max(100) });
export type Rehash = z.infer<typeof Rehash>;

/** Keys that were used since the last report, with the time of their last use. */
export const KeyUses = z.object({
  uses: z
    .array(
      z.object({
        key_id: z.uuid(),
        used_at: z.iso.datetime(),
        /** present where the stored hash is under an older pepper */
        rehash: Rehash.optional(),
        /** the use of a session: `key_id` is its id */
        session: z.literal(true).optional(),
      }),
    )
    .max(10_000),
});
export type KeyUses = z.infer<typeof KeyUses>;

/**
 * A gateway requests the right to serve keys from its memory (a lease) and acknowledges the changes that it has
 * applied. The response comes at once when there are changes, else after about a second.
 */
export const CacheLeaseRequest = z.object({
  /** one per running gateway */
  instance: z.uuid(),
  /** null: the cache is empty */
  acked_revision: z.number().int().nullable(),
});
export type CacheLeaseRequest = z.infer<typeof CacheLeaseRequest>;

export const CacheLeaseResponse = z.object({
  /** acknowledged once everything below is dropped */
  revision: z.number().int(),
  /** the lease from the time at which the request was sent; 0: not granted, apply the changes and request again */
  lease_ms: z.number().int(),
  /** true: drop everything */
  reset: z.boolean(),
  /** of API keys, SMTP credentials and sessions */
  key_ids: z.array(z.string()),
  /** every key and credential of these accounts is to be dropped */
  account_ids: z.array(z.string()),
});
export type CacheLeaseResponse = z.infer<typeof CacheLeaseResponse>;

/**
 * `POST /internal/accounts/{account_id}/api-keys/existing` of the accounts service: returns those of these keys that
 * the account has. Request and response have the same form.
 */
export const ExistingKeys = z.object({ key_ids: z.array(z.uuid()).max(1_000) });
export type ExistingKeys = z.infer<typeof ExistingKeys>;
