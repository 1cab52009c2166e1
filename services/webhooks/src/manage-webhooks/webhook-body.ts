import { z } from 'zod';
import { ApiError, isLongerThan, normaliseDomain } from '@postmesh/contracts';
import { MAX_URL_LENGTH, readTargetUrl } from '@postmesh/outgoing-http';

const MAX_NAME = 255;
// The account's own limit of domains (spec 1-platform §16); a longer list only costs memory.
const MAX_DOMAINS = 10_000;

/** Lengths count characters, not UTF-16 units (spec 1-platform §1.2). */
const name = z
  .string()
  .min(1)
  .refine((text) => !isLongerThan(text, MAX_NAME), { message: `name must be at most ${MAX_NAME} characters` })
  // Postgres keeps no such character
  .refine((text) => !text.includes('\u0000'), { message: 'name must not contain a NUL character' })
  .meta({ maxLength: MAX_NAME });

const url = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine((text) => readTargetUrl(text) !== undefined, { message: 'invalid url' })
  .meta({ format: 'uri', description: 'Absolute, http or https, at a public address.' });

const scope = z.enum(['global', 'scoped']).meta({
  description: '`global`: events of all domains; `scoped`: of the listed ones.',
});
const domains = z.array(z.string()).max(MAX_DOMAINS).nullish().meta({
  description: 'Domains of the account. Needed when `scoped`, ignored when `global`.',
});
const flag = z.boolean().nullish();

const optional = {
  enabled: flag,
  on_reception: flag,
  on_delivered: flag,
  on_transient_error: flag,
  on_failed: flag,
  on_bounced: flag,
  on_suppressed: flag,
  on_opened: flag,
  on_clicked: flag,
  on_suppression_created: flag,
  on_dns_error: flag,
};

export const CreateBody = z.object({ name, url, scope, domains, ...optional });
export type CreateBody = z.infer<typeof CreateBody>;

export const UpdateBody = z.object({
  name: name.nullish(),
  url: url.nullish(),
  scope: scope.nullish(),
  domains,
  ...optional,
});
export type UpdateBody = z.infer<typeof UpdateBody>;

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

export const unknownDomain = (domain: string): ApiError =>
  new ApiError(400, `domain '${domain}' not found in this account`);

/**
 * The one spelling of each domain, each once, in the given order.
 * @throws ApiError 400 for what is no domain name and so cannot be the account's
 */
export function normaliseDomains(given: readonly string[]): string[] {
  return [
    ...new Set(
      given.map((text) => {
        const domain = normaliseDomain(text);
        if (domain === undefined) throw unknownDomain(text);
        return domain;
      }),
    ),
  ];
}
