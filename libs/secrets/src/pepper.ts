import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Hashes of high-entropy secrets (API keys): HMAC-SHA-256 with a server pepper (spec 1-platform §2.1).
 * Tables hold these; the secret itself is nowhere.
 */
export class Pepper {
  private readonly keys: readonly Buffer[];

  constructor(secretKeys: readonly string[]) {
    this.keys = secretKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'postmesh pepper', 32)));
  }

  /** The hash under the current key: what is stored. */
  hash(secret: string): Buffer {
    return this.candidates(secret)[0] as Buffer;
  }

  /** The hashes under every accepted key: what is looked up. */
  candidates(secret: string): Buffer[] {
    return this.keys.map((key) => createHmac('sha256', key).update(secret).digest());
  }
}
