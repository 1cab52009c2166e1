import { createPrivateKey, type KeyObject } from 'node:crypto';
import { setting, type Options, type Setting } from './setting.js';

const ID = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,7}$/i;
const MIN_BITS = 2_048;

/** An id or a label of Domain Connect: letters, digits, hyphens, underscores and dots. */
export const dcId = <T extends string | undefined>(options: Options<T>): Setting<T> =>
  setting<T>('id', options, (value) => {
    if (!ID.test(value))
      throw new Error('must be letters, digits, hyphens and underscores, with dots between');
    return value as T;
  });

/** An RSA key as PKCS #8 in base64; the errors never show it. */
export const signingKey = (options: Options<KeyObject | undefined>): Setting<KeyObject | undefined> =>
  setting('PKCS #8 in base64', options, (value) => {
    const key = readKey(Buffer.from(value, 'base64'));
    const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key?.asymmetricKeyType !== 'rsa' || bits < MIN_BITS)
      throw new Error(`must be an RSA key of at least ${MIN_BITS} bits as PKCS #8 in base64`);
    return key;
  });

function readKey(der: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}
