import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dcId, signingKey } from './domain-connect.js';

const setting = signingKey({ env: 'KEY', description: '', default: undefined, secret: true });
const der = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');

describe('a key of Domain Connect', () => {
  it('is an RSA key of 2,048 bits or more', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    expect(setting.parse(der(privateKey))?.equals(privateKey)).toBe(true);
    expect(setting.parse('')).toBeUndefined();
  });

  it('is never shown in an error', () => {
    const others = [
      generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey,
      generateKeyPairSync('ed25519').privateKey,
    ].map(der);
    for (const value of [...others, 'bm90IGEga2V5', '***'])
      expect(() => setting.parse(value)).toThrow(
        /^must be an RSA key of at least 2048 bits as PKCS #8 in base64$/,
      );
  });
});

describe('an id of Domain Connect', () => {
  const id = dcId({ env: 'ID', description: '', default: undefined });

  it.each(['example.com', 'mail', '_dck1', 'A-b.c'])('can be %s', (value) =>
    expect(id.parse(value)).toBe(value),
  );

  it.each(['a/b', '../x', 'a b', 'a?b', '.', 'a..b', 'ä'])('cannot be %j', (value) => {
    expect(() => id.parse(value)).toThrow('with dots between');
  });
});
