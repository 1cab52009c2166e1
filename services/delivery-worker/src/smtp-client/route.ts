import type { EgressSource } from '../egress/egress-source.rules.js';
import type { HostNeed } from '../tls/host-need.rules.js';
import type { OpenOptions } from './open-connection.js';

/** One host that takes mail for a destination, and what it has to prove for that. */
export interface RouteHost extends HostNeed {
  readonly name: string;
  /** lower first */
  readonly preference: number;
  /** in the order in which they are tried */
  readonly addresses: readonly string[];
  /** how it is spoken to, when it is a relay of ours */
  readonly relay?: RelayAccess;
}

/** A password asks for a certificate that is valid for the relay's name. */
interface RelayAccess extends Pick<OpenOptions, 'port' | 'tls' | 'auth'> {}

/** One name may stand for several relays. */
export const hostKey = ({ name, relay }: RouteHost): string =>
  relay === undefined ? name : `${name}:${relay.port}`;

/** Where a message may go: hosts by preference, ties in the order in which they are to be tried. */
export interface Route {
  readonly hosts: readonly RouteHost[];
  readonly port: number;
  /** the MX group, by which connections are shared and limits are learnt; its hosts unless given */
  readonly groupKey?: string;
  /** from where; the pool's own name, and the address that the system chooses, unless given */
  readonly source?: EgressSource;
  /** the hosts are relays: the next one is asked when one cannot be spoken to, never for another reply */
  readonly viaRelay?: boolean;
}
