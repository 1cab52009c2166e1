import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** RFC 9525: a name of the certificate's own list is this one, or a wildcard for its first label. */
export function bearsName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // The common name is no host name (RFC 8461 §4.1).
  const options = { subject: 'never', partialWildcards: false, multiLabelWildcards: false } as const;
  return certificate.checkHost(name, options) !== undefined;
}
