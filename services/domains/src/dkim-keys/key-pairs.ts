import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Permits } from '@postmesh/concurrency';
import { Transient, type AccountId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/** A DKIM key pair in its stored forms. */
export interface KeyPair {
  bits: number;
  /** SubjectPublicKeyInfo, base64 */
  publicKey: string;
  /** PKCS#8 PEM */
  privateKeyPem: string;
}

const generate = promisify(generateKeyPair);

// A key takes up to half a second of a thread of the pool of four that file and DNS calls use as well.
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;
// An account that creates or rotates hundreds of domains leaves the other thread to all other accounts.
const MAX_OF_ACCOUNT = 1;
const MAX_WAITING_OF_ACCOUNT = 100;

/** Makes RSA keys of POSTMESH_DKIM_KEY_BITS off the main thread, a few at a time, one at a time per account. */
@Injectable()
export class KeyGeneration {
  private readonly permits = new Permits<AccountId>(MAX_OF_ACCOUNT, MAX_AT_ONCE);
  private readonly pendingOf = new Permits<AccountId>(MAX_OF_ACCOUNT + MAX_WAITING_OF_ACCOUNT);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws Transient when too many wait already, of this account or of all */
  async make(accountId: AccountId): Promise<KeyPair> {
    if (this.pendingOf.inUse >= MAX_AT_ONCE + MAX_WAITING || !this.pendingOf.tryAcquire(accountId)) {
      throw new Transient('too many DKIM keys are being made', 1_000);
    }
    await this.permits.acquire(accountId);
    try {
      const bits = this.settings.dkimKeyBits;
      const { publicKey, privateKey } = await generate('rsa', {
        modulusLength: bits,
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      return { bits, publicKey: publicKey.toString('base64'), privateKeyPem: privateKey };
    } finally {
      this.permits.release(accountId);
      this.pendingOf.release(accountId);
    }
  }
}

// RFC 8301 §3.2 has verifiers refuse less. More than the upper bound costs a signature more than a message.
const MIN_BITS = 1024;
const MAX_BITS = 4096;
const PEM = /^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----/;

/**
 * Parses a partner's own RSA key, PKCS#1 or PKCS#8 PEM.
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
