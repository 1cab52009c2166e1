import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  bool,
  context,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der.js';

export interface KeyAndCertificate {
  /** PEM */
  key: string;
  /** PEM */
  cert: string;
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const DAY_MS = 86_400_000;
const VERSION_3 = context(0, true, integer(Buffer.from([2])));

/**
 * A self-signed certificate (RFC 5280) with a fresh EC P-256 key; takes about a millisecond.
 * @param names host names and IPv4 addresses of the certificate; the first is the subject
 * @param now start of validity, set a day earlier for clocks that lag; it lasts ten years
 */
export const selfSignedCertificate = (names: readonly string[], now: Date = new Date()): KeyAndCertificate =>
  issueCertificate({ names, from: now });

export interface CertificateRequest {
  /** host names and IPv4 addresses of the certificate; the first is the subject */
  names: readonly string[];
  /** the signing authority and the first of its names; self-signed when left out */
  issuer?: KeyAndCertificate & { name: string };
  /** the certificate may sign others */
  isAuthority?: boolean;
  /** validity begins a day earlier, for clocks that lag */
  from?: Date;
  /** ten years after `from` unless given */
  until?: Date;
}

/** A certificate with a fresh key: its own, or of a chain that ends in an authority made here. */
export function issueCertificate({
  names,
  issuer,
  isAuthority = false,
  from = new Date(),
  until = new Date(from.getTime() + 3650 * DAY_MS),
}: CertificateRequest): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = names[0] ?? 'localhost';
  const body = sequence(
    VERSION_3,
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    commonName(issuer?.name ?? name),
    sequence(time(new Date(from.getTime() - DAY_MS)), time(until)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, true, sequence(subjectAltNames(names), basicConstraints(isAuthority))),
  );
  const signed = sign('sha256', body, issuer?.key ?? privateKey);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, ECDSA_WITH_SHA256, bitString(signed))),
  };
}

const commonName = (name: string): Buffer => sequence(setOf(sequence(objectId('2.5.4.3'), utf8String(name))));

/** Positive and without leading zeros in any case (RFC 5280 §4.1.2.2). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function subjectAltNames(names: readonly string[]): Buffer {
  const all = names.map((name) =>
    isIP(name) === 4
      ? context(7, false, Buffer.from(name.split('.').map(Number)))
      : context(2, false, Buffer.from(name)),
  );
  return sequence(objectId('2.5.29.17'), octetString(sequence(...all)));
}

/** Critical extension; `cA` is false by default, which DER leaves out. */
function basicConstraints(isAuthority: boolean): Buffer {
  const content = isAuthority ? sequence(bool(true)) : sequence();
  return sequence(objectId('2.5.29.19'), bool(true), octetString(content));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
