import { getDomain } from 'tldts';

interface Reporter {
  /** registrable domains of the author of its reports, which DMARC has proved */
  readonly domains: readonly string[];
  /** where one domain writes for several: the organisation in the report */
  readonly organisation?: RegExp;
  /** as in libs/smtp-replies, so that figures of reports meet our own */
  readonly provider: string;
}

/** Writers of reports that are a mailbox provider of libs/smtp-replies. The first row that fits decides. */
const REPORTERS: readonly Reporter[] = [
  { domains: ['google.com'], provider: 'google' },
  { domains: ['microsoft.com'], organisation: /enterprise/i, provider: 'm365' },
  { domains: ['microsoft.com', 'outlook.com', 'hotmail.com'], provider: 'outlook' },
  { domains: ['yahoo.com', 'yahooinc.com', 'aol.com'], provider: 'yahoo' },
  { domains: ['apple.com', 'icloud.com'], provider: 'apple' },
  { domains: ['comcast.net', 'comcast.com'], provider: 'comcast' },
  { domains: ['gmx.net', 'gmx.com', 'web.de', '1und1.de'], provider: 'gmx' },
  { domains: ['mail.ru', 'vk.company'], provider: 'mail-ru' },
  { domains: ['yandex.ru', 'yandex.net', 'yandex.com'], provider: 'yandex' },
  { domains: ['mimecast.com', 'mimecast.org'], provider: 'mimecast' },
  { domains: ['t-online.de', 'telekom.de'], provider: 't-online' },
  { domains: ['qq.com', 'tencent.com'], provider: 'qq' },
  { domains: ['163.com', 'netease.com'], provider: 'netease' },
  { domains: ['orange.fr', 'orange.com'], provider: 'orange' },
  { domains: ['laposte.net'], provider: 'laposte' },
];

/** Providers whose reports are believed before those of others: anyone with a domain can write reports. */
export const KNOWN_REPORTERS: readonly string[] = [...new Set(REPORTERS.map(({ provider }) => provider))];

const NAMES: Readonly<Record<string, string>> = {
  google: 'Google',
  m365: 'Microsoft 365',
  outlook: 'Outlook',
  yahoo: 'Yahoo',
  apple: 'Apple',
  comcast: 'Comcast',
  gmx: 'GMX',
  'mail-ru': 'Mail.ru',
  yandex: 'Yandex',
  mimecast: 'Mimecast',
  't-online': 'T-Online',
  qq: 'QQ',
  netease: 'NetEase',
  orange: 'Orange',
  laposte: 'La Poste',
};

/**
 * The provider of a report, by the author that was proved and not by what the report calls itself.
 * @returns an id of libs/smtp-replies, else the registrable domain of the author
 */
export function reporterOf(authorDomain: string, organisation: string): string {
  const domain = registrable(authorDomain);
  const known = REPORTERS.find(
    (row) => row.domains.includes(domain) && (row.organisation?.test(organisation) ?? true),
  );
  return known?.provider ?? domain.slice(0, 253);
}

/** A name for people. */
export const providerName = (provider: string): string => NAMES[provider] ?? provider;

export const registrable = (domain: string): string =>
  getDomain(domain, { allowPrivateDomains: true }) ?? domain.toLowerCase();
