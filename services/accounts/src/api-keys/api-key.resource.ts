import type { ApiKeyResource, ApiKeyScopeRow } from './api-key.schema.js';

/** A key as it is read: the row of the key with those of its scopes. */
export interface ApiKeyRow {
  id: string;
  account_id: string;
  label: string;
  public_key: string;
  ip_allow_list: string[];
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  /** in grant order */
  scopes: ApiKeyScopeRow[];
}

export function apiKeyResource(row: ApiKeyRow): ApiKeyResource {
  return {
    object: 'api_key',
    id: row.id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    account_id: row.account_id,
    label: row.label,
    public_key: row.public_key,
    scopes: row.scopes,
    ip_allow_list: row.ip_allow_list,
  };
}
