/** Ends of the host names of mailbox providers, or whole names; lower case. Rows of replies use these ids. */
export const PROVIDER_HOSTS = {
  google: ['.google.com', '.googlemail.com'],
  outlook: ['.olc.protection.outlook.com'],
  m365: ['.mail.protection.outlook.com'],
  'm365-dane': ['.mx.microsoft'],
  yahoo: ['.yahoodns.net'],
  'yahoo-jp': ['.yahoo.co.jp'],
  apple: ['.icloud.com'],
  comcast: ['.comcast.net'],
  gmx: ['.gmx.net', '.web.de'],
  orange: ['.orange.fr'],
  laposte: ['.laposte.net'],
  mimecast: ['.mimecast.com', '.mimecast.co.za', '.mimecast-offshore.com'],
  barracuda: ['.barracudanetworks.com'],
  qq: ['.qq.com'],
  netease: ['.netease.com'],
  kpn: ['.kpnmail.nl'],
  netvigator: ['.netvigator.com'],
  godaddy: ['.secureserver.net'],
  't-online': ['.t-online.de'],
  'mail-ru': ['.mail.ru'],
  yandex: ['.yandex.ru', '.yandex.net'],
  proofpoint: ['.pphosted.com'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** @param host lower case; a suffix pattern covers a longer suffix as it covers a host */
export const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('.') ? host.endsWith(pattern) : host === pattern;

/**
 * Hosts that write reports for a provider and are no MX of it, as reports name them in Reporting-MTA. They decide
 * nothing about connections.
 */
const REPORTING_HOSTS: readonly (readonly [host: string, provider: string])[] = [
  ['googlemail.com', 'google'],
  ['.prod.outlook.com', 'm365'],
];

const PROVIDERS: readonly (readonly [host: string, provider: string])[] = [
  ...Object.entries(PROVIDER_HOSTS).flatMap(([provider, hosts]) =>
    hosts.map((host) => [host, provider] as const),
  ),
  ...REPORTING_HOSTS,
];

/** @returns the provider of the host, by the ids of PROVIDER_HOSTS */
export function providerOfHost(host: string): string | undefined {
  const name = host.toLowerCase();
  return PROVIDERS.find(([pattern]) => matchesHost(pattern, name))?.[1];
}
