import { randomText } from '@postmesh/secrets';

const SECRET_LENGTH = 64;
const PUBLIC_LENGTH = 32;

/** A new pair (spec 1-platform §2.1): the secret authenticates, the public key names the key to people. */
export function newApiKeyPair(prefix: string): { secretKey: string; publicKey: string } {
  return {
    secretKey: `${prefix}-sk-${randomText(SECRET_LENGTH)}`,
    publicKey: `${prefix}-pk-${randomText(PUBLIC_LENGTH)}`,
  };
}
