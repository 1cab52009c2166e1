import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Transient } from '@postmesh/contracts';
import type { KeyMaterial } from './own-key.rules.js';

const generate = promisify(generateKeyPair);

const BITS = 2048;
// A key takes up to half a second of a thread of the pool of four that file and DNS calls use as well.
const AT_ONCE = 2;
const MOST_WAITING = 200;

/** Makes RSA-2048 keys off the main thread, a few at a time. */
@Injectable()
export class KeyGeneration {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws Transient when too many wait already */
  async make(): Promise<KeyMaterial> {
    await this.enter();
    try {
      const { publicKey, privateKey } = await generate('rsa', {
        modulusLength: BITS,
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      return { bits: BITS, publicKey: publicKey.toString('base64'), privateKeyPem: privateKey };
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= MOST_WAITING) throw new Transient('too many DKIM keys are being made', 1_000);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The next one takes over the place. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
