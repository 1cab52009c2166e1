import { createHash, X509Certificate } from 'node:crypto';
import { issueCertificate, selfSignedCertificate, type KeyAndCertificate } from '@postmesh/secrets';
import { DEFAULT_CIPHERS, type SecureVersion } from 'node:tls';
import type { TlsaData } from '../dns/records.rules.js';
import type { HouseScript } from './house-script.js';

/** The authority that signs for the houses: the name of its certificate, and its key. */
export type Authority = KeyAndCertificate & { name: string };

/** All options of a TLS server, explicit: one set replaces another while it runs. */
export interface HouseTls {
  key: string;
  cert: string;
  minVersion: SecureVersion;
  maxVersion: SecureVersion;
  ciphers: string;
}

const DAY_MS = 86_400_000;
const ANOTHER_HOST = 'another-host.test';
const TODAY = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: DEFAULT_CIPHERS } as const;
/** OpenSSL negotiates versions before 1.2 only at security level 0. */
const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

/** The certificate of a house at STARTTLS; the chain of the authority's certificates is complete. */
export function tlsOf(
  kind: HouseScript['tls'],
  host: string,
  authority: Authority,
  now = Date.now(),
): HouseTls {
  if (kind === 'self-signed') return { ...selfSignedCertificate([host]), ...TODAY };
  const expired = { from: new Date(now - 60 * DAY_MS), until: new Date(now - 30 * DAY_MS) };
  const names = [kind === 'wrong-name' ? ANOTHER_HOST : host];
  const shown = signedBy(authority, { names, ...(kind === 'expired' ? expired : {}) });
  return { ...shown, ...(kind === 'old' ? OLD : TODAY) };
}

/** With its chain, which ends in the authority. */
export function signedBy(
  authority: Authority,
  request: { names: readonly string[]; from?: Date; until?: Date },
): KeyAndCertificate {
  const { key, cert } = issueCertificate({ ...request, issuer: authority });
  return { key, cert: `${cert}${authority.cert}` };
}

/** The TLSA record of a house (RFC 6698 §2.1); `failing` has none, its name servers fail. */
export function tlsaOf(
  kind: 'key' | 'authority' | 'bad' | 'unusable',
  { cert }: Pick<HouseTls, 'cert'>,
  authority: Pick<Authority, 'cert'>,
): TlsaData {
  if (kind === 'authority') {
    return {
      usage: 2,
      selector: 0,
      matchingType: 1,
      certificate: sha256(new X509Certificate(authority.cert).raw),
    };
  }
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  const certificate = sha256(kind === 'bad' ? Buffer.from('another key') : key);
  // PKIX-EE is not for SMTP (RFC 7672 §3.1.3).
  return { usage: kind === 'unusable' ? 1 : 3, selector: 1, matchingType: 1, certificate };
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
