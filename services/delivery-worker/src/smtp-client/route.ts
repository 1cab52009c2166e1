import type { StsPolicyText } from '@postmesh/http';
import type { EgressSource } from '../egress/egress-source.rules.js';
import type { HostNeed } from '../tls/host-need.rules.js';
import type { OpenOptions } from './open-connection.js';

/** One host of a destination, with its TLS needs. */
export interface RouteHost extends HostNeed {
  readonly name: string;
  /** lower first */
  readonly preference: number;
  /** in the order in which they are tried */
  readonly addresses: readonly string[];
  /** the MTA-STS policy of the destination, enforced or in testing mode, where DANE does not decide */
  readonly sts?: Pick<StsPolicyText, 'mode' | 'mx'> | undefined;
  /** access to it, when it is a relay of ours */
  readonly relay?: RelayAccess;
}

/** A password requires a certificate that is valid for the relay's name. */
interface RelayAccess extends Pick<OpenOptions, 'port' | 'tls' | 'auth'> {
  /** id of the relay */
  readonly id: string;
}

/** One name may have several relays. */
export const hostKey = ({ name, relay }: RouteHost): string =>
  relay === undefined ? name : `${name}:${relay.port}`;

/** Where a message may go: hosts by preference, ties in the order in which they are to be tried. */
export interface Route {
  readonly hosts: readonly RouteHost[];
  readonly port: number;
  /** the MX group, by which connections are shared and limits are learnt; its hosts unless given */
  readonly groupKey?: string;
  /** the source; the pool's own name, and an address that the system chooses, unless given */
  readonly source?: EgressSource;
  /** the hosts are relays: the next one is used when one is unreachable, never because of another reply */
  readonly viaRelay?: boolean;
}
