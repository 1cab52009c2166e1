import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.rules.js';
import type { ResolveHost } from './host-resolver.js';

/** The target has addresses, but none that may be called. */
export class TargetRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} has no address that may be called`);
  }
}

/**
 * Opens connections to permitted addresses only. A name is resolved here, judged here, and connected to by the
 * very addresses that were judged: between check and use no second answer of a DNS server can slip in.
 */
export function guardedConnector(options: {
  policy: AddressPolicy;
  resolve: ResolveHost;
  timeoutMs: number;
  /** certificates trusted besides the system's, PEM */
  ca?: string;
}): buildConnector.connector {
  const { policy, resolve, timeoutMs, ca } = options;
  const lookup: LookupFunction = (hostname, wish, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const permitted = addresses
          .filter((address) => policy.permits(address))
          .map((address) => ({ address, family: isIP(address) }));
        const [first] = permitted;
        if (first === undefined) callback(new TargetRefused(hostname), '');
        else if (wish.all) callback(null, permitted);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs, ca });
  return (target, callback) => {
    // a literal address is connected to without a look-up
    if (isIP(target.hostname) !== 0 && !policy.permits(target.hostname)) {
      callback(new TargetRefused(target.hostname), null);
      return;
    }
    connect(target, callback);
  };
}
