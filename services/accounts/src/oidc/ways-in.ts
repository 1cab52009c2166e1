import { Inject, Injectable } from '@nestjs/common';
import { domainOf } from '@postmesh/oidc';
import { SETTINGS } from '@postmesh/service-host';
import { oidcOf, type OidcSettings, type Settings } from '@postmesh/settings';
import type { SignInWay } from '../sessions/session.entity.js';
import { MembershipErrors } from './membership.rules.js';

/** An operator's link is the way in when the provider is away. */
const ALWAYS = new Set<SignInWay>(['operator', 'oidc']);

/** The ways in that an address has. */
@Injectable()
export class WaysIn {
  readonly oidc: OidcSettings | undefined;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.oidc = oidcOf(settings);
  }

  /** Whether an address signs in by the provider alone. */
  isOidcOnly(email: string): boolean {
    return this.oidc !== undefined && this.oidc.isOnly && this.oidc.domains.includes(domainOf(email));
  }

  /** The same for every address of a domain, so that no member is recognised by it. @throws ApiError 403 */
  requireOpen(way: SignInWay, email: string): void {
    if (this.oidc && !ALWAYS.has(way) && this.isOidcOnly(email))
      throw MembershipErrors.only(this.oidc.name, domainOf(email));
  }
}
