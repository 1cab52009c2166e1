import { cloudflare } from './cloudflare.host.js';
import { desec } from './desec.host.js';
import type { DnsHostName, MakeHost } from './dns-host.port.js';
import { route53 } from './route53.host.js';

interface DnsHostRow {
  readonly make: MakeHost;
  /** the public address of its API */
  readonly api: string;
  /** whether its keys have an id next to the secret */
  readonly hasAccessKeyId: boolean;
}

/** The DNS hosts whose tokens are taken. */
export const DNS_HOSTS: Readonly<Record<DnsHostName, DnsHostRow>> = {
  cloudflare: { make: cloudflare, api: 'https://api.cloudflare.com/client/v4', hasAccessKeyId: false },
  route53: { make: route53, api: 'https://route53.amazonaws.com', hasAccessKeyId: true },
  desec: { make: desec, api: 'https://desec.io/api/v1', hasAccessKeyId: false },
};
