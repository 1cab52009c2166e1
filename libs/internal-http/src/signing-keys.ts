import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Settings } from '@postmesh/settings';

type KeySettings = Pick<Settings, 'secretKeys' | 'principalPrivateKey' | 'principalPublicKeys'>;

// PKCS#8 frame of an Ed25519 private key (RFC 8410 §7); the 32-byte seed follows.
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The gateway's key for principals: given, or derived so that a laptop needs no further secret. */
export function principalPrivateKey(settings: KeySettings): KeyObject {
  if (settings.principalPrivateKey) {
    return createPrivateKey({
      key: Buffer.from(settings.principalPrivateKey, 'base64'),
      format: 'der',
      type: 'pkcs8',
    });
  }
  return derivedKey(requireFirst(settings.secretKeys));
}

/** The keys whose principals a service accepts. */
export function principalPublicKeys(settings: KeySettings): KeyObject[] {
  if (settings.principalPublicKeys.length > 0) {
    return settings.principalPublicKeys.map((key) =>
      createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
    );
  }
  return settings.secretKeys.map((secret) => createPublicKey(derivedKey(secret)));
}

/** Symmetric keys for calls between services; the first signs, all verify. */
export function serviceTokenKeys(settings: KeySettings): Buffer[] {
  return settings.secretKeys.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'postmesh service token', 32)),
  );
}

function derivedKey(secret: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'postmesh principal ed25519', 32));
  return createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function requireFirst(keys: readonly string[]): string {
  const first = keys[0];
  if (first === undefined) throw new Error('POSTMESH_SECRET_KEYS is empty');
  return first;
}
