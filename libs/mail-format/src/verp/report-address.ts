import { fromBase32, toBase32 } from './verp.js';

const PREFIX = 'reports+';
/** 16 bytes in base32 */
const TOKEN = /^[a-z2-7]{26}$/;

/**
 * The address for reports about a domain (DMARC, SMTP TLS): `reports+<id of the domain>@host`. It is public in the DNS of the
 * domain for years, so it has no signature: that would keep nothing secret, and would end with the key that made it.
 * @throws TypeError when the id is not a UUID
 */
export function reportAddress(domainId: string, host: string): string {
  const id = Buffer.from(domainId.replaceAll('-', ''), 'hex');
  if (id.length !== 16 || domainId.length !== 36) throw new TypeError('the id of a domain is a UUID');
  return `${PREFIX}${toBase32(id)}@${host}`;
}

/**
 * Reads the id of the domain back. Letter case does not matter.
 * @param host of our report addresses: elsewhere the same local part is an address of a customer
 * @returns undefined when it is not an address for reports
 */
export function readReportAddress(address: string, host: string): string | undefined {
  const [local = '', at = ''] = address.toLowerCase().split(/@(?=[^@]*$)/);
  const token = local.startsWith(PREFIX) ? local.slice(PREFIX.length) : '';
  if (at !== host || !TOKEN.test(token)) return undefined;
  const hex = fromBase32(token)?.toString('hex');
  return hex && hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
