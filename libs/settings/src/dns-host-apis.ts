import { setting, type Options, type Setting } from './setting.js';

/** DNS hosts whose tokens publish records. */
export const DNS_HOST_NAMES = ['cloudflare', 'route53', 'desec'] as const;
export type DnsHostName = (typeof DNS_HOST_NAMES)[number];
export type DnsHostApis = Partial<Readonly<Record<DnsHostName, string>>>;

const FORM = /^([a-z0-9]+)=(https:\/\/\S+)$/;

/** `desec=https://desec.example.com/api/v1`, separated by commas. */
export const dnsHostApis = (options: Options<DnsHostApis>): Setting<DnsHostApis> =>
  setting('`host=https://…`, comma-separated', options, (value) =>
    Object.fromEntries(value.split(',').map((item) => readPair(item.trim()))),
  );

function readPair(item: string): [DnsHostName, string] {
  const [, given, address = ''] = FORM.exec(item) ?? [];
  const host = DNS_HOST_NAMES.find((name) => name === given);
  if (host === undefined || !URL.canParse(address))
    throw new Error(
      `must be such as \`desec=https://desec.example.com/api/v1\`, of ${DNS_HOST_NAMES.join(', ')}`,
    );
  return [host, address.replace(/\/+$/, '')];
}
