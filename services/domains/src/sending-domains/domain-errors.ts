import type { PipeTransform } from '@nestjs/common';
import { ApiError, ApiErrors, normaliseDomain, type Principal } from '@postmesh/contracts';

/** The texts of the domains family, each in one place (spec 1-platform §11.3). */
export const DomainErrors = {
  invalidName: () =>
    new ApiError(400, 'invalid domain name, please provide a valid fully qualified domain name.'),
  invalidPath: () => new ApiError(400, 'invalid domain name'),
  banned: () =>
    new ApiError(
      400,
      'domain is banned to protect our network from abuse and spammers. if you think this is an error please contact support',
    ),
  invalidLabel: (field: string) =>
    new ApiError(400, `${field} must be one DNS label of 1-63 letters, digits and hyphens`),
  labelsCollide: () => new ApiError(400, 'the subdomains of a domain must differ from each other'),
  invalidKey: () => new ApiError(400, 'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)'),
  invalidSelector: () =>
    new ApiError(400, 'dkim_selector must be one DNS label of 1-62 letters, digits and hyphens'),
  managedOnly: () => new ApiError(400, 'dkim_rotation_interval_days is only for domains with managed DNS'),
  keyIsManaged: () => new ApiError(400, 'dkim_private_key is only for domains with manual DNS'),
  locked: (field: string) => new ApiError(400, `${field} is locked after DNS verification, contact support`),
  rotating: () => new ApiError(400, 'dkim_selector cannot change while a DKIM rotation is in progress'),
  invalidDsnRecipient: () => new ApiError(400, 'dsn_recipient is not a valid email address'),
  partnersOnly: (field: string) => new ApiError(403, `${field} is only available to partner accounts`),
  suspended: () => new ApiError(403, 'account is suspended, contact support'),
  limitReached: () => new ApiError(403, 'domain limit reached'),
  paused: (domain: string) =>
    new ApiError(
      403,
      `Sending is paused on the domain '${domain}'. You cannot remove or rename it while sending is paused. Contact support.`,
    ),
  notOwnersPause: () =>
    new ApiError(403, 'the domain was not paused by its owner. contact support to have the pause lifted'),
  notFound: () => ApiErrors.notFound('domain'),
  exists: () => new ApiError(409, 'domain already exists'),
  zoneUnavailable: () => new ApiError(503, 'managed DNS is currently unavailable'),
} as const;

/** `@Param('domain', DOMAIN_NAME)`: the domain of a path, normalised; ApiError 400 when it cannot be one. */
export const DOMAIN_NAME: PipeTransform<string, string> = {
  transform: (text) => {
    const name = normaliseDomain(text);
    if (name === undefined) throw DomainErrors.invalidPath();
    return name;
  },
};

/** @throws ApiError 403 while the account may not manage domains (spec 1-platform §2.5) */
export function requireActive(principal: Pick<Principal, 'account'>): void {
  if (principal.account.status !== 'active') throw DomainErrors.suspended();
}
