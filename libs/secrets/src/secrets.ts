import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HASH_BYTES = 32;
const DUMMY_HASH = Buffer.alloc(HASH_BYTES);
const KEY_ID_BYTES = 6;

/** A key that was derived from one of POSTMESH_SECRET_KEYS. */
interface DerivedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Id of a key, which reveals nothing about it: 12 hexadecimal digits, in sealed secrets and in rows with hashes. */
const keyIdOf = (secretKey: string): string =>
  derive(secretKey, 'postmesh key id', KEY_ID_BYTES).toString('hex');

const derive = (secretKey: string, purpose: string, length = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, length));

/** Keys for a purpose other than sealing, e.g. signed links: one per key of POSTMESH_SECRET_KEYS, the current one first. */
export const deriveKeys = (secretKeys: readonly string[], purpose: string): Buffer[] =>
  secretKeys.map((key) => derive(key, purpose));

/**
 * Keys of VERP and feedback addresses; the first one signs. Earlier releases signed with POSTMESH_SECRET_KEYS
 * themselves: their addresses are verified for as long as reports may come, which is months for complaints.
 */
export const reportAddressKeys = (secretKeys: readonly string[]): (Buffer | string)[] => [
  ...deriveKeys(secretKeys, 'postmesh report addresses'),
  ...secretKeys,
];

const deriveAll = (secretKeys: readonly string[], purpose: string): readonly DerivedKey[] =>
  secretKeys.map((key) => ({ id: keyIdOf(key), bytes: derive(key, purpose) }));

/**
 * Encrypts small secrets at rest: AES-256-GCM, key derived from POSTMESH_SECRET_KEYS, bound to the row that
 * owns the secret. The first key encrypts; every key decrypts, so that keys can be rotated.
 *
 * Sealed form: `v1.<nonce, ciphertext, tag in base64url>.<id of the key>`. Secrets of earlier releases have no
 * id and are still opened; those releases read the first two parts and ignore the id.
 */
export class SecretBox {
  /** ids of all keys; the first one seals */
  readonly keyIds: readonly string[];
  private readonly keys: readonly DerivedKey[];

  /** @throws Error when a key is missing or shorter than 32 characters */
  constructor(secretKeys: readonly string[]) {
    if (secretKeys.length === 0) throw new Error('POSTMESH_SECRET_KEYS is empty');
    if (secretKeys.some((key) => key.length < 32)) {
      throw new Error('every key in POSTMESH_SECRET_KEYS must have at least 32 characters');
    }
    this.keys = deriveAll(secretKeys, 'postmesh encryption at rest');
    this.keyIds = this.keys.map(({ id }) => id);
  }

  /** @param about the owner of the secret, e.g. `webhook/<id>`: it opens only with the same text */
  seal(plain: string, about: string): string {
    const { id, bytes } = this.keys[0] as DerivedKey;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce);
    cipher.setAAD(Buffer.from(about));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString('base64url')}.${id}`;
  }

  /** @throws Error when no key opens it or `about` differs */
  open(sealed: string, about: string): string {
    const [version, text, keyId] = sealed.split('.');
    const bytes = Buffer.from(text ?? '', 'base64url');
    if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
    for (const key of this.keys) {
      if (keyId !== undefined && keyId !== key.id) continue;
      const opened = tryOpen(bytes, key.bytes, about);
      if (opened !== undefined) return opened;
    }
    throw new Error('no key of POSTMESH_SECRET_KEYS opens this secret');
  }
}

function tryOpen(bytes: Buffer, key: Buffer, about: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const middle = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return decipher.update(middle, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Hashes of high-entropy secrets (API keys): HMAC-SHA-256 with a server pepper (spec 1-platform §2.1).
 * Tables hold the hash and the id of the pepper's key; the secret itself is never stored.
 */
export class Pepper {
  /** ids of all keys; `hash` uses the first one */
  readonly keyIds: readonly string[];
  private readonly keys: readonly DerivedKey[];

  constructor(secretKeys: readonly string[]) {
    this.keys = deriveAll(secretKeys, 'postmesh pepper');
    this.keyIds = this.keys.map(({ id }) => id);
  }

  /** The id of the key of `hash`, stored with it. */
  get keyId(): string {
    return this.keyIds[0] as string;
  }

  /** The hash under the current key, for storing. */
  hash(secret: string): Buffer {
    return this.candidates(secret)[0] as Buffer;
  }

  /** The hashes under every accepted key, for look-ups. */
  candidates(secret: string): Buffer[] {
    return this.keys.map(({ bytes }) => createHmac('sha256', bytes).update(secret).digest());
  }

  /**
   * Whether a stored hash is this secret's, in constant time: the same for every secret of one length, and the same without
   * a hash, so that the delay of a login does not reveal whether its username exists.
   * @param hash undefined for an unknown username
   */
  matches(secret: string, hash: Buffer | undefined): boolean {
    const stored = hash?.length === HASH_BYTES ? hash : DUMMY_HASH;
    let same = false;
    for (const candidate of this.candidates(secret)) same = timingSafeEqual(candidate, stored) || same;
    return same && stored !== DUMMY_HASH;
  }
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** @returns `length` characters of `[A-Za-z0-9]` from the CSPRNG, each equally likely */
export function randomText(length: number, alphabet: string = ALPHANUMERIC): string {
  // bytes from here on would favour the first characters of the alphabet
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < limit) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
