const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 §6 in lower case without padding: survives servers that change the letter case of an address. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** @returns undefined unless the text is the one spelling of some bytes, letter case aside */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text.toLowerCase()) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 255);
    }
    value &= (1 << bits) - 1;
  }
  return bits >= 5 || value !== 0 ? undefined : Buffer.from(bytes);
}
