import { z } from 'zod';
import {
  pageOf,
  SCOPE_FAMILIES,
  STATIC_SCOPES,
  Timestamp,
  WILDCARD_SCOPE,
  type BodyRules,
} from '@postmesh/contracts';
import { textField } from '../account/text-field.js';
import type { ApiKeyEntity } from './api-key.entity.js';

// `messages:send:{domain}` with the longest domain has 285 characters; IDN and spaces may be longer.
const MAX_SCOPE_CHARACTERS = 512;
const MAX_ADDRESS_CHARACTERS = 64;
// A key's scopes are sent in a header with every request.
const MAX_SCOPES = 1_000;

const label = textField('label', { min: 1, max: 255, trimmed: true });

/** The form of scopes for the API document; granted-scopes.rules.ts checks them and names the first wrong one. */
const scope = z
  .string()
  .max(MAX_SCOPE_CHARACTERS)
  .meta({
    id: 'Scope',
    description: 'A permission of a key; with a domain in braces it is limited to this domain.',
    anyOf: [
      {
        type: 'string',
        enum: [WILDCARD_SCOPE, ...STATIC_SCOPES, ...SCOPE_FAMILIES.map((family) => `${family}:all`)],
      },
      { type: 'string', pattern: `^(${SCOPE_FAMILIES.join('|')}):.` },
    ],
  });
const scopes = z.array(scope).min(1).max(MAX_SCOPES);
// The limit of 100 applies after de-duplication (rules of the allow list); this one bounds the work.
const ipAllowList = z.array(z.string().max(MAX_ADDRESS_CHARACTERS)).max(10_000);

export const CreateApiKeyBody = z.object({ label, scopes, ip_allow_list: ipAllowList.nullish() });
export type CreateApiKeyBody = z.infer<typeof CreateApiKeyBody>;

export const UpdateApiKeyBody = z.object({
  label: label.nullish(),
  scopes: scopes.nullish(),
  ip_allow_list: ipAllowList.nullish(),
});
export type UpdateApiKeyBody = z.infer<typeof UpdateApiKeyBody>;

export const API_KEY_BODY_RULES: BodyRules = {
  readOnly: [
    'object',
    'id',
    'created_at',
    'updated_at',
    'last_used_at',
    'account_id',
    'public_key',
    'secret_key',
  ],
};

/** A scope in the public form (spec 1-platform §2.3 rule 9). */
const ApiKeyScopeRow = z.object({
  id: z.uuid(),
  created_at: Timestamp,
  updated_at: Timestamp,
  api_key_id: z.uuid(),
  scope: z.string().meta({ description: 'As it was granted, e.g. `messages:send:{shop.test}`.' }),
  domain_id: z.uuid().nullable().meta({ description: 'The domain of a domain scope, else null.' }),
});

export const ApiKeyResource = z
  .object({
    object: z.literal('api_key'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_used_at: Timestamp.nullable().meta({
      description: 'Null until the first authenticated request; then at most ten minutes late.',
    }),
    account_id: z.uuid().meta({ description: 'The account that owns the key.' }),
    label: z.string(),
    public_key: z.string().meta({ description: 'Names the key to people; it cannot authenticate.' }),
    scopes: z.array(ApiKeyScopeRow).meta({ description: 'In grant order.' }),
    ip_allow_list: z
      .array(z.string())
      .meta({ description: 'CIDR blocks from which the key may be used; empty = no restriction.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' });
export type ApiKeyResource = z.infer<typeof ApiKeyResource>;

/** The response of create, the only one with the secret. */
export const CreatedApiKey = ApiKeyResource.extend({
  secret_key: z.string().meta({ description: 'The bearer token. It is shown only here.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new API key with its secret.' });

export const ApiKeyPage = pageOf(ApiKeyResource);

export function apiKeyResource(key: ApiKeyEntity): ApiKeyResource {
  return {
    object: 'api_key',
    id: key.id,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    account_id: key.accountId,
    label: key.label,
    public_key: key.publicKey,
    scopes: key.scopes
      .toSorted((a, b) => a.position - b.position)
      .map((row) => ({
        id: row.id,
        created_at: row.createdAt.toISOString(),
        updated_at: row.updatedAt.toISOString(),
        api_key_id: row.apiKeyId,
        scope: row.scope,
        domain_id: row.domainId,
      })),
    ip_allow_list: key.ipAllowList,
  };
}

export const createdApiKeyResource = ({ key, secret }: { key: ApiKeyEntity; secret: string }) => ({
  ...apiKeyResource(key),
  secret_key: secret,
});
