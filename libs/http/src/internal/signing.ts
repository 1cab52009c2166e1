import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { Settings } from '@postmesh/settings';

type KeySettings = Pick<Settings, 'secretKeys' | 'principalPrivateKey' | 'principalPublicKeys'>;

// PKCS#8 frame of an Ed25519 private key (RFC 8410 §7); the 32-byte seed follows.
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The gateway's key for principals: from the settings, else derived from the first secret key. */
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

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADERS = { EdDSA: encode({ alg: 'EdDSA', typ: 'JWT' }), HS256: encode({ alg: 'HS256', typ: 'JWT' }) };

/** A compact JWS (RFC 7515) with Ed25519 (RFC 8037). */
export function signEdDsa(claims: object, key: KeyObject): string {
  const input = `${HEADERS.EdDSA}.${encode(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

export function signHs256(claims: object, key: Buffer): string {
  const input = `${HEADERS.HS256}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

/** @returns the claims, of unchecked shape; undefined when no key verifies the signature */
export function verifyEdDsa(token: string, keys: readonly KeyObject[]): unknown {
  const parts = split(token, HEADERS.EdDSA);
  if (!parts) return undefined;
  const input = Buffer.from(parts.input);
  return keys.some((key) => verify(null, input, key, parts.signature)) ? parts.claims() : undefined;
}

export function verifyHs256(token: string, keys: readonly Buffer[]): unknown {
  const parts = split(token, HEADERS.HS256);
  if (!parts) return undefined;
  const made = keys.some((key) => {
    const expected = createHmac('sha256', key).update(parts.input).digest();
    return expected.length === parts.signature.length && timingSafeEqual(expected, parts.signature);
  });
  return made ? parts.claims() : undefined;
}

/** The whole header is compared, so a token cannot choose another algorithm (RFC 8725 §3.1). */
function split(token: string, header: string) {
  const [head, body, signature, rest] = token.split('.');
  if (head !== header || !body || !signature || rest !== undefined) return undefined;
  return {
    input: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
    claims: (): unknown => {
      try {
        return JSON.parse(Buffer.from(body, 'base64url').toString());
      } catch {
        return undefined;
      }
    },
  };
}
