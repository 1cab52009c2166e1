import { createHmac, sign, timingSafeEqual, verify, type KeyObject } from 'node:crypto';

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

/** @returns the claims, unproven in shape; undefined when no key made this signature */
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

/** The header is compared whole: no algorithm but the expected one can be asked for. */
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
