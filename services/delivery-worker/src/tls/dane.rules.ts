import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { bearsName } from './certificate-name.rules.js';
import type { DaneRecords, TlsaRecord } from './host-need.rules.js';

// RFC 6698 §2.1. Usages 0 and 1 require a CA as well: mail has no use for them (RFC 7672 §3.1.3).
const TRUST_ANCHOR = 2;
const END_ENTITY = 3;
const FULL = 0;
const DIGESTS: Readonly<Record<number, { name: string; bytes: number }>> = {
  1: { name: 'sha256', bytes: 32 },
  2: { name: 'sha512', bytes: 64 },
};

/** Whether a record can be met at all; unusable ones are ignored. */
export function isUsable({ usage, selector, matching, data }: TlsaRecord): boolean {
  if (usage !== TRUST_ANCHOR && usage !== END_ENTITY) return false;
  if (selector !== 0 && selector !== 1) return false;
  if (matching !== FULL) return DIGESTS[matching]?.bytes === data.length;
  return (selector === 0 ? parseCertificate(data) : parseKey(data)) !== undefined;
}

/** The key of `DaneRecords`: equal for equal records in any order. */
export function recordsKey(base: string, records: readonly TlsaRecord[]): string {
  const texts = records.map(
    ({ usage, selector, matching, data }) => `${usage} ${selector} ${matching} ${data.toString('base64')}`,
  );
  return createHash('sha256')
    .update([base, ...texts.toSorted()].join('\n'))
    .digest('base64url')
    .slice(0, 22);
}

/**
 * RFC 7672 §3.1: one record that is met is enough. Usage 3 names the certificate or key of the server, and neither its
 * names nor its dates count. Usage 2 names a CA, up to which the chain and the dates must be right, and the certificate
 * must have the name of the host or of the destination.
 * @param chain the server's certificate, its issuer, and so on
 * @returns the name that met them, or undefined
 */
export function matchDane(
  chain: readonly X509Certificate[],
  dane: DaneRecords,
  now: Date,
): 'base' | 'destination' | undefined {
  const [leaf] = chain;
  if (leaf === undefined) return undefined;
  const records = strongest(dane.records);
  if (records.some((record) => record.usage === END_ENTITY && names(record, leaf))) return 'base';
  if (!records.some((record) => record.usage === TRUST_ANCHOR && isAnchored(chain, record, now))) {
    return undefined;
  }
  if (bearsName(leaf, dane.base)) return 'base';
  return bearsName(leaf, dane.destination) ? 'destination' : undefined;
}

/** RFC 7671 §9: if a CA or key is named by SHA-512 too, its SHA-256 does not count. */
function strongest(records: readonly TlsaRecord[]): TlsaRecord[] {
  const alike = (one: TlsaRecord, other: TlsaRecord) =>
    one.usage === other.usage && one.selector === other.selector;
  return records.filter(
    (record) =>
      record.matching !== 1 || !records.some((other) => other.matching === 2 && alike(record, other)),
  );
}

/** RFC 7671 §5.2: the chain is right up to a certificate that the record names, or to one that this CA has signed. */
function isAnchored(chain: readonly X509Certificate[], record: TlsaRecord, now: Date): boolean {
  for (const [depth, certificate] of chain.entries()) {
    if (!isInDate(certificate, now) || (depth > 0 && !certificate.ca)) return false;
    if (depth > 0 && names(record, certificate)) return true;
    if (record.matching === FULL && isSignedBy(certificate, record)) return true;
    const issuer = chain[depth + 1];
    if (issuer === undefined || !isIssuedBy(certificate, issuer)) return false;
  }
  return false;
}

function names({ selector, matching, data }: TlsaRecord, certificate: X509Certificate): boolean {
  const bytes = selector === 0 ? certificate.raw : keyOf(certificate);
  if (bytes === undefined) return false;
  const digest = DIGESTS[matching];
  return data.equals(digest === undefined ? bytes : createHash(digest.name).update(bytes).digest());
}

/** The CA need not be sent when the record holds all of it. */
function isSignedBy(certificate: X509Certificate, { selector, data }: TlsaRecord): boolean {
  if (selector === 0) {
    const issuer = parseCertificate(data);
    return issuer !== undefined && issuer.ca && isIssuedBy(certificate, issuer);
  }
  const key = parseKey(data);
  return key !== undefined && certificate.verify(key);
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  quietly(() => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)) ?? false;

const isInDate = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);

const keyOf = (certificate: X509Certificate): Buffer | undefined =>
  quietly(() => certificate.publicKey.export({ type: 'spki', format: 'der' }));

const parseCertificate = (der: Buffer) => quietly(() => new X509Certificate(der));

const parseKey = (der: Buffer) => quietly(() => createPublicKey({ key: der, format: 'der', type: 'spki' }));

/** OpenSSL throws for unreadable input: an unsupported kind of key, or no certificate at all. */
function quietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
