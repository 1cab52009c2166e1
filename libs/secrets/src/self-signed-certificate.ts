import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
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

/** A name that signs for others (RFC 5280 §4.2.1.9); only those who were given its certificate believe it. */
export interface CertificateAuthority extends KeyAndCertificate {
  /**
   * A certificate with a fresh key, signed by this authority; its chain is complete with `cert` of the authority.
   * @param names as for `selfSignedCertificate`
   * @param validity ten years from yesterday unless said otherwise
   */
  issue(names: readonly string[], validity?: Validity): KeyAndCertificate;
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

/**
 * A self-signed certificate (RFC 5280) with a fresh EC P-256 key; takes about a millisecond.
 * @param names host names and IPv4 addresses it speaks for; the first is the subject
 * @param now start of validity, a day earlier for clocks that lag; it lasts ten years
 */
export function selfSignedCertificate(names: readonly string[], now: Date = new Date()): KeyAndCertificate {
  const keys = keyPair();
  const extensions = sequence(subjectAltNames(names), basicConstraints(false));
  return certificateOf(keys, {
    ...selfIssued(names[0] ?? 'localhost', keys),
    validity: tenYears(now),
    extensions,
  });
}

/**
 * An authority of one's own.
 * @param name its subject
 * @param kept what an earlier call gave for the same name: the authority goes on with its key
 */
export function certificateAuthority(name: string, kept?: KeyAndCertificate): CertificateAuthority {
  const keys = kept ? keyPairOf(createPrivateKey(kept.key)) : keyPair();
  const own =
    kept ??
    certificateOf(keys, {
      ...selfIssued(name, keys),
      validity: tenYears(new Date()),
      extensions: sequence(basicConstraints(true)),
    });
  return {
    ...own,
    issue: (names, validity = tenYears(new Date())) =>
      certificateOf(keyPair(), {
        subject: distinguishedName(names[0] ?? 'localhost'),
        issuer: { name: distinguishedName(name), key: keys.privateKey },
        validity,
        extensions: sequence(subjectAltNames(names), basicConstraints(false)),
      }),
  };
}

interface CertificateParts {
  subject: Buffer;
  issuer: { name: Buffer; key: KeyObject };
  validity: Validity;
  extensions: Buffer;
}

type KeyPair = ReturnType<typeof keyPairOf>;

const keyPair = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyPairOf = (privateKey: KeyObject) => ({ privateKey, publicKey: createPublicKey(privateKey) });

const selfIssued = (name: string, { privateKey }: KeyPair) => ({
  subject: distinguishedName(name),
  issuer: { name: distinguishedName(name), key: privateKey },
});

const distinguishedName = (name: string): Buffer =>
  sequence(setOf(sequence(objectId('2.5.4.3'), utf8String(name))));

const tenYears = (now: Date): Validity => ({
  from: new Date(now.getTime() - DAY_MS),
  to: new Date(now.getTime() + 3650 * DAY_MS),
});

function certificateOf({ privateKey, publicKey }: KeyPair, parts: CertificateParts): KeyAndCertificate {
  const { subject, issuer, validity, extensions } = parts;
  const body = sequence(
    VERSION_3,
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    issuer.name,
    sequence(time(validity.from), time(validity.to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, true, extensions),
  );
  const certificate = sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, issuer.key)));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(certificate),
  };
}

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

/** The default, no authority, is left out (X.690 §11.5). */
function basicConstraints(isAuthority: boolean): Buffer {
  const content = isAuthority ? sequence(bool(true)) : sequence();
  return sequence(objectId('2.5.29.19'), bool(true), octetString(content));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
