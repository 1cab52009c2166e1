import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** A DKIM key pair in the forms in which it is kept. */
export interface KeyMaterial {
  bits: number;
  /** SubjectPublicKeyInfo, base64 */
  publicKey: string;
  /** PKCS#8 PEM */
  privateKeyPem: string;
}

/** RFC 8301 §3.2 has verifiers refuse less. More than the upper bound costs a signature more than a message. */
const BITS = { least: 1024, most: 4096 };
const PEM = /^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----/;

/**
 * Reads a partner's own RSA key, PKCS#1 or PKCS#8 PEM.
 * @returns undefined when it is no such key, too small, too large, or its parts do not belong together
 */
export function readOwnKey(pem: string): KeyMaterial | undefined {
  if (!PEM.test(pem)) return undefined;
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    const fits = key.asymmetricKeyType === 'rsa' && bits >= BITS.least && bits <= BITS.most;
    return fits && signsForItself(key) ? keyMaterial(key, bits) : undefined;
  } catch {
    return undefined;
  }
}

function signsForItself(key: KeyObject): boolean {
  const probe = Buffer.from('postmesh');
  return verify('sha256', probe, createPublicKey(key), sign('sha256', probe, key));
}

function keyMaterial(key: KeyObject, bits: number): KeyMaterial {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  return { bits, publicKey, privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
