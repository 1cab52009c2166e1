import { z } from 'zod';
import { ApiError, isLongerThan, Timestamp } from '@postmesh/contracts';
import { INVALID_URL, MAX_URL_LENGTH, readTargetUrl } from '@postmesh/http';
import type { EndpointEntity } from '../database/endpoint.entity.js';
import type { EndpointKind } from './endpoint-kinds.js';

export const MAX_NAME = 255;

/** Lengths count characters, not UTF-16 units (spec 1-platform §1.2). @param text a string, trimmed or not */
export const nameOf = (text: z.ZodString) =>
  text
    .min(1)
    .refine((name) => !isLongerThan(name, MAX_NAME), {
      message: `name must be at most ${MAX_NAME} characters`,
    })
    // Postgres cannot store this character
    .refine((name) => !name.includes('\u0000'), { message: 'name must not contain a NUL character' })
    .meta({ maxLength: MAX_NAME });

export const TargetUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine((text) => readTargetUrl(text) !== undefined, { message: INVALID_URL })
  .meta({ format: 'uri', description: 'Absolute, http or https, at a public address.' });

export const READ_ONLY_FIELDS = [
  'object',
  'id',
  'account_id',
  'created_at',
  'updated_at',
  'success_count',
  'error_count',
  'errors_since_last_success',
  'last_request_at',
  'secret',
] as const;

type Name = EndpointKind['name'];

export const EndpointErrors = {
  unknownDomain: (domain: string) => new ApiError(400, `domain '${domain}' not found in this account`),
  limitReached: (name: Name) => new ApiError(403, `${name} limit reached`),
  disabled: (name: Name) => new ApiError(409, `${name} is disabled`),
} as const;

/** @throws ApiError 409 */
export function requireEnabled({ name }: EndpointKind, { enabled }: Pick<EndpointEntity, 'enabled'>): void {
  if (!enabled) throw EndpointErrors.disabled(name);
}

// The public forms have common first and last fields (spec 0-interface §2.9, spec 1-platform §13.1).

export const FirstFields = {
  id: z.uuid(),
  created_at: Timestamp,
  updated_at: Timestamp,
  name: z.string(),
  url: z.string(),
};

export const firstFields = ({ id, created_at, updated_at, name, url }: EndpointEntity) => ({
  id,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
  name,
  url,
});

const count = z.number().int().min(0);

export const CallCounts = {
  success_count: count,
  error_count: count,
  errors_since_last_success: count,
  last_request_at: Timestamp.nullable(),
};

export const callCounts = (row: EndpointEntity) => ({
  success_count: Number(row.success_count),
  error_count: Number(row.error_count),
  errors_since_last_success: row.errors_since_last_success,
  last_request_at: row.last_request_at?.toISOString() ?? null,
});

/** A field of the response to a create, the only one that contains it. */
export const NewSecret = z.string().meta({ description: 'Signs every call. Shown only in this response.' });
