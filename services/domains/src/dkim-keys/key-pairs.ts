import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Permits } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';

/** A DKIM key pair in the forms in which it is kept. */
export interface KeyPair {
  bits: number;
  /** SubjectPublicKeyInfo, base64 */
  publicKey: string;
  /** PKCS#8 PEM */
  privateKeyPem: string;
}

const generate = promisify(generateKeyPair);

const GENERATED_BITS = 2048;
// A key takes up to half a second of a thread of the pool of four that file and DNS calls use as well.
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;

/** Makes RSA-2048 keys off the main thread, a few at a time. */
@Injectable()
export class KeyGeneration {
  private readonly permits = new Permits<'rsa'>(MAX_AT_ONCE);
  private pending = 0;

  /** @throws Transient when too many wait already */
  async make(): Promise<KeyPair> {
    if (this.pending >= MAX_AT_ONCE + MAX_WAITING) {
      throw new Transient('too many DKIM keys are being made', 1_000);
    }
    this.pending += 1;
    await this.permits.acquire('rsa');
    try {
      const { publicKey, privateKey } = await generate('rsa', {
        modulusLength: GENERATED_BITS,
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      return { bits: GENERATED_BITS, publicKey: publicKey.toString('base64'), privateKeyPem: privateKey };
    } finally {
      this.permits.release('rsa');
      this.pending -= 1;
    }
  }
}

// RFC 8301 §3.2 has verifiers refuse less. More than the upper bound costs a signature more than a message.
const MIN_BITS = 1024;
const MAX_BITS = 4096;
const PEM = /^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----/;

/**
 * Reads a partner's own RSA key, PKCS#1 or PKCS#8 PEM.
 * @returns undefined when it is no such key, too small, too large, or its parts do not belong together
 */
export function readOwnKey(pem: string): KeyPair | undefined {
  if (!PEM.test(pem)) return undefined;
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    const fits = key.asymmetricKeyType === 'rsa' && bits >= MIN_BITS && bits <= MAX_BITS;
    return fits && signsForItself(key) ? keyPair(key, bits) : undefined;
  } catch {
    return undefined;
  }
}

function signsForItself(key: KeyObject): boolean {
  const probe = Buffer.from('postmesh');
  return verify('sha256', probe, createPublicKey(key), sign('sha256', probe, key));
}

function keyPair(key: KeyObject, bits: number): KeyPair {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  return { bits, publicKey, privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
