import type { Schemas } from '../api/client';
import { t } from '../words/words';

type DnsRecord = Schemas['DnsRecord'];
type Domain = Schemas['Domain'];

/** The part of a host name that most DNS forms ask for: without the zone. */
export function hostInZone(host: string, domain: string): string {
  if (host === domain) return '@';
  return host.endsWith(`.${domain}`) ? host.slice(0, -domain.length - 1) : host;
}

/** TXT data is written in strings of at most 255 bytes (RFC 1035 §3.3.14). */
const STRING = 255;

function dataOf({ type, content }: DnsRecord): string {
  if (type !== 'TXT') return type === 'MX' || content.endsWith('.') ? fullyQualified(content) : `${content}.`;
  const strings = content.match(new RegExp(`.{1,${STRING}}`, 'gs')) ?? [''];
  return strings.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(' ');
}

/** "10 mx.example.com": the last word is a name. */
const fullyQualified = (content: string): string => (content.endsWith('.') ? content : `${content}.`);

/** A zone file (RFC 1035 §5) that providers import. */
export const zoneFileOf = ({ domain, dns_records }: Domain): string =>
  [
    `; ${domain}`,
    '$TTL 3600',
    ...dns_records.map((record) => `${record.host}. IN ${record.type} ${dataOf(record)}`),
    '',
  ].join('\n');

/** A mail to the person who can change the DNS. */
export const textForAdmin = ({ domain, dns_records }: Domain): string =>
  [
    t.domains.adminIntro(domain),
    '',
    ...dns_records.flatMap((record) => [
      `${record.type}  ${record.host}`,
      `      ${record.content}`,
      `      ${purposeOf(record)}${record.required ? '' : ` (${t.domains.optional})`}`,
      '',
    ]),
  ].join('\n');

/** The purpose of a record, in one sentence. */
export function purposeOf({ label, type, content }: Pick<DnsRecord, 'label' | 'type' | 'content'>): string {
  const name = label.toLowerCase();
  const found = Object.entries(t.domains.purposes).find(([word]) => name.includes(word));
  if (found) return found[1];
  if (content.startsWith('v=spf1')) return t.domains.purposes.spf;
  return type === 'MX' ? t.domains.purposes.mx : label;
}
