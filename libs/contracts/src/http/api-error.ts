import { oneOf } from './closest.js';
import { domainScopes, type ScopeFamily } from '../principal/scopes.js';
import { shortened } from './text-fields.js';

// A text may quote what the request said, and a body has 30 MB. A hundred recipients with their missing variables fit.
const MAX_MESSAGE = 65_536;

/**
 * A response that is an error of the caller or ours, in the contract's form: the body is exactly
 * `{"message": string}` (spec 1-platform §1.4).
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(shortened(message, MAX_MESSAGE));
  }
}

/**
 * A 403 for a missing scope. A header names the sufficient scopes (RFC 6750 §3.1, spec 1-platform §1.4), because the text
 * is fixed and names none.
 */
export const scopeError = (message: string, scopes: readonly string[]): ApiError =>
  new ApiError(403, message, {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
  });

/** `smtp-credentials:read` reads "to read smtp credentials", `statistics-transactional:read` "to read statistics". */
function familyText(family: ScopeFamily): string {
  const [what = '', action = ''] = family.split(':');
  return `${action} ${what.replace(/-transactional$/, '').replaceAll('-', ' ')}`;
}

/** The texts of spec 1-platform §1.4, each in one place. */
export const ApiErrors = {
  invalidBody: () => new ApiError(400, 'invalid request body'),
  /** @param excess of `JsonTooLarge` */
  bodyBeyondLimits: (excess: string) => new ApiError(400, `request body ${excess}`),
  /** @param values the valid values, where they are few */
  invalidParameter: (name: string, values?: readonly unknown[]) =>
    new ApiError(400, `invalid ${name}${values ? oneOf(values) : ''}`),
  invalidTime: (name: string) => new ApiError(400, `invalid ${name}, provide a valid RFC3339 time string`),
  nothingGiven: () => new ApiError(400, 'at least one field must be provided'),
  nothingChanges: () => new ApiError(400, 'no changes to apply'),
  missingBearer: () => new ApiError(401, 'missing or malformed bearer token'),
  invalidKey: () => new ApiError(401, 'invalid API key'),
  /** in the console, where a session stands for a key */
  noSession: () => new ApiError(401, 'sign in first'),
  accountBlocked: () => new ApiError(401, 'account is suspended'),
  ipNotAllowed: () => new ApiError(403, 'Request rejected by the API key IP allow list'),
  /** @param scopes the sufficient ones */
  missingScope: (scopes: readonly string[]) =>
    scopeError('insufficient permissions for the required scope', scopes),
  /** @param domains with sufficient scopes; left out where none is known, empty where only the whole family is enough */
  missingDomainScope: (family: ScopeFamily, domains?: readonly string[]) =>
    scopeError(
      `api key does not have sufficient permissions to ${familyText(family)}`,
      domainScopes(family, domains),
    ),
  sendScope: (domain: string) =>
    scopeError(
      `this api key is not authorized to send messages from the domain '${domain}'`,
      domainScopes('messages:send', [domain]),
    ),
  sendScopeOfAny: () =>
    scopeError('this api key is not authorized to send messages', domainScopes('messages:send')),
  subAccountsOff: () => new ApiError(403, 'sub accounts are not enabled for this account'),
  notFromConsole: () => new ApiError(403, 'the request does not come from a page of the console'),
  /** for a session; a key of another account is an invalid one */
  otherAccount: () => new ApiError(403, 'the session is in another account, switch to it first'),
  /** @param by the ways that the member has */
  confirmFirst: (by: readonly ('passkey' | 'oidc')[] = ['passkey']) =>
    new ApiError(
      403,
      by.includes('passkey') ? 'confirm with your passkey first' : 'confirm by signing in again first',
      {
        'www-authenticate': by.map((way) => (way === 'oidc' ? 'OIDC' : 'Passkey')).join(', '),
      },
    ),
  accountSuspended: () => new ApiError(403, 'account is suspended'),
  unknownPath: () => new ApiError(404, 'not found'),
  notFound: (thing: string) => new ApiError(404, `${thing} not found`),
  methodNotAllowed: (allow: readonly string[]) =>
    new ApiError(405, 'method not allowed', { allow: allow.join(', ') }),
  idempotencyInProgress: (retryAfterSeconds: number) =>
    new ApiError(409, 'A request with this idempotency key is already in progress', {
      'idempotent-replayed': 'false',
      'retry-after': String(Math.max(1, retryAfterSeconds)),
    }),
  /** RFC 9110 §15.5.9: the rest of the body is not read, so the connection ends. */
  bodyTooSlow: () => new ApiError(408, 'request body arrives too slowly', { connection: 'close' }),
  bodyTooLarge: () => new ApiError(413, 'request body is too large'),
  wrongContentType: () => new ApiError(415, 'content type must be application/json'),
  idempotencyMismatch: () =>
    new ApiError(422, 'idempotency key was already used with a different request payload'),
  rateLimited: (retryAfterSeconds: number) =>
    new ApiError(429, 'Too many requests, rate limited.', {
      'retry-after': String(Math.max(1, retryAfterSeconds)),
    }),
  internal: () => new ApiError(500, 'internal server error'),
} as const;
