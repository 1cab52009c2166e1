import {
  ApiError,
  ApiErrors,
  mayCover,
  mayTouch,
  normaliseDomain,
  unnamedDomains,
  type Principal,
} from '@postmesh/contracts';
import { CreateSmtpCredentialBody } from './smtp-credential.schema.js';

// A login per application or device; each uses memory in every gateway that caches it.
export const MAX_SMTP_CREDENTIALS = 1_000;

// The longest name has 253 (§1.2); spaces may be added. A rejected name is part of the error.
const MAX_DOMAIN_CHARACTERS = 512;

/** The texts of spec 1-platform §12, each in one place. */
export const SmtpCredentialErrors = {
  notFound: () => ApiErrors.notFound('smtp credential'),
  domainsNeeded: () => new ApiError(400, 'domains is required when scope is scoped'),
  noDomain: (domain: string) => new ApiError(400, `domain not found: ${domain}`),
  noScope: (action: 'read' | 'write' | 'delete', domains?: readonly string[]) =>
    ApiErrors.missingDomainScope(`smtp-credentials:${action}`, domains),
  tooMany: () => new ApiError(409, `an account can have at most ${MAX_SMTP_CREDENTIALS} smtp credentials`),
} as const;

type Target = Pick<CreateSmtpCredentialBody, 'scope' | 'domains'>;

/**
 * The domains of a scoped credential: each once, normalised, in the given order; none for a global one. An invalid
 * name is kept: like any other name that the account does not have, it is checked after the scopes of the key.
 * @throws ApiError 400 for a scoped one without domains, and for an item that is no string or too long
 */
export function namedDomains({ scope, domains }: Target): string[] {
  if (scope === 'global') return [];
  if (!domains || domains.length === 0) throw SmtpCredentialErrors.domainsNeeded();
  const names = domains.map((given, at) => {
    if (typeof given !== 'string') throw new ApiError(400, `domains[${at}] must be a string`);
    if (given.length > MAX_DOMAIN_CHARACTERS) {
      throw new ApiError(400, `domains[${at}] must be at most ${MAX_DOMAIN_CHARACTERS} characters`);
    }
    return normaliseDomain(given) ?? given;
  });
  return [...new Set(names)];
}

type Holder = Pick<Principal, 'scopes'>;

/**
 * Rule "body-every" of spec 1-platform §2.4.
 * @throws ApiError 400 by `namedDomains`, then 403
 * @returns the domains
 */
export function requireCover(holder: Holder, target: Target): string[] {
  const domains = namedDomains(target);
  if (!mayCover(holder, 'smtp-credentials:write', { scope: target.scope, domains })) {
    throw SmtpCredentialErrors.noScope('write', target.scope === 'global' ? [] : domains);
  }
  return domains;
}

/**
 * A stored response to a create, which holds the password, is only for keys that may create the same credential
 * (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireCoverToReplay(holder: Holder, body: unknown): void {
  const given = CreateSmtpCredentialBody.safeParse(body);
  // an invalid body got a 400, whose replay reveals nothing
  if (!given.success) return;
  try {
    requireCover(holder, given.data);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
  }
}

/**
 * Rule "any-of": a global credential, and a scoped one that has lost its domains, needs `:all`.
 * @throws ApiError 403
 */
export function requireTouch(holder: Holder, action: 'read' | 'delete', domains: readonly string[]): void {
  if (!mayTouch(holder, `smtp-credentials:${action}`, domains))
    throw SmtpCredentialErrors.noScope(action, unnamedDomains(domains));
}
