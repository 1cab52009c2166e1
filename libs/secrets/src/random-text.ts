import { randomBytes } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** @returns `length` characters of `[A-Za-z0-9]` from the CSPRNG, each equally likely */
export function randomText(length: number, alphabet: string = ALPHANUMERIC): string {
  // bytes from here on would favour the first letters of the alphabet
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < limit) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
