import type { TlsVerdict } from '@postmesh/delivery-worker-contract';
import type { TlsTrouble } from '../tls/host-need.rules.js';
import type { Route, RouteHost } from './route.js';

/** A session of a domain, or the attempt at one, for reports about TLS. */
export interface TlsSession {
  /** domain of the recipients, lower case */
  readonly destination: string;
  readonly host: RouteHost;
  /** undefined: there was none because of its TLS */
  readonly verdict: TlsVerdict | undefined;
  readonly trouble: TlsTrouble | undefined;
}

/** The domain of a message that goes to its hosts; undefined for one that goes to a relay. */
export function directDestination({
  route,
  message: { recipient },
}: {
  readonly route: Route;
  readonly message: { readonly recipient: string };
}): string | undefined {
  return route.viaRelay ? undefined : recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase();
}
