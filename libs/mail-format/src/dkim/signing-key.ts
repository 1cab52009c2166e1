import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A parsed private key. Parsing costs more than a signature, so keep it (`SigningKeys`). */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
}

// RFC 8301 §3.2: signers must use at least 1024 bits.
const MIN_RSA_BITS = 1_024;

/**
 * @param pem PKCS#1 or PKCS#8, RSA of at least 1024 bits or Ed25519 (RFC 8463)
 * @throws TypeError for any other input; the text never contains key material
 */
export function parseSigningKey(pem: string): SigningKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new TypeError('not a private key in PEM');
  }
  if (key.asymmetricKeyType === 'ed25519') return { key, algorithm: 'ed25519-sha256' };
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS) {
    throw new TypeError(`a DKIM key is RSA of at least ${MIN_RSA_BITS} bits or Ed25519`);
  }
  return { key, algorithm: 'rsa-sha256' };
}

/** Parsed keys by an id of the caller (domain and selector, key row), the least recently used dropped first. */
export class SigningKeys {
  private readonly keys: LRUCache<string, SigningKey>;

  /** @param max keys kept; 1,000 take about 5 MB */
  constructor(max = 1_000) {
    this.keys = new LRUCache({ max });
  }

  /** @param pem read only when the key is not kept */
  get(id: string, pem: () => string): SigningKey {
    const kept = this.keys.get(id);
    if (kept !== undefined) return kept;
    const key = parseSigningKey(pem());
    this.keys.set(id, key);
    return key;
  }

  forget(id: string): void {
    this.keys.delete(id);
  }
}
