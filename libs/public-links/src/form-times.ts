import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '@postmesh/secrets';

const SIGNATURE_BYTES = 16;
const TIME_BYTES = 6;

/** When the page of a form was made: a signed time in the page, so that a program cannot make one up. */
export class FormTimes {
  private readonly keys: readonly Buffer[];

  /** @throws Error when there is no key */
  constructor(secretKeys: readonly string[]) {
    if (secretKeys.length === 0) throw new Error('POSTMESH_SECRET_KEYS is empty');
    this.keys = deriveKeys(secretKeys, 'postmesh times of forms');
  }

  /** @param now Unix ms */
  sign(formId: string, now: number): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(now, 0, TIME_BYTES);
    return Buffer.concat([time, signature(this.keys[0] as Buffer, formId, time)]).toString('base64url');
  }

  /** @returns Unix ms; undefined for a text that is not of this form */
  read(formId: string, text: string): number | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
    const time = bytes.subarray(0, TIME_BYTES);
    const given = bytes.subarray(TIME_BYTES);
    const isOurs = this.keys.some((key) => timingSafeEqual(signature(key, formId, time), given));
    return isOurs ? time.readUIntBE(0, TIME_BYTES) : undefined;
  }
}

const signature = (key: Buffer, formId: string, time: Buffer): Buffer =>
  createHmac('sha256', key).update(formId).update(time).digest().subarray(0, SIGNATURE_BYTES);
