import { parseEmailAddress } from '@postmesh/mail-format';

const MAX_CHARS = 500;

/** `smtp; 550 5.1.1 …` → `550 5.1.1 …`; the types of RFC 3464 §2.1.2 */
export function withoutType(value: string | undefined): string | undefined {
  const text = value?.replace(/^[\w-]{1,40}\s{0,5};/, '').trim();
  return text === '' ? undefined : text;
}

/**
 * Parses an address of a report: `rfc822; ann@mail.test`, in angle brackets, with xtext (RFC 3461 §4), without its
 * type, and beyond ASCII as `utf-8; j\x{FC}rgen@mail.test` (RFC 6533 §3).
 * @returns the normalised form of records; undefined when it is no address, e.g. masked
 */
export function readAddress(value: string | undefined): string | undefined {
  const given = withoutType(value)?.slice(0, MAX_CHARS);
  if (given === undefined) return undefined;
  const [, bracketed] = /<([^<>]*)>/.exec(given) ?? [];
  const plain = (bracketed ?? given.split(/\s/)[0] ?? '').replace(/^mailto:/i, '');
  const isUtf8 = /^\s*utf-8\s*;/i.test(value ?? '');
  const parsed = parseEmailAddress(isUtf8 ? decodeUtf8Xtext(plain) : decodeXtext(plain));
  return parsed.ok ? parsed.address.address : undefined;
}

/** Only `+` and `=` of xtext may be in an address; similar sequences are a detail, `ann+2024@…`. */
const decodeXtext = (text: string): string => text.replaceAll('+2B', '+').replaceAll('+3D', '=');

/** RFC 6533 §3: `\x{…}` around the number of a character. */
const decodeUtf8Xtext = (text: string): string =>
  text.replace(/\\x\{([0-9a-f]{2,6})\}/gi, (coded, hex: string) => {
    const character = parseInt(hex, 16);
    return character <= 0x10ffff ? String.fromCodePoint(character) : coded;
  });

/** `dns; mx.mail.test (198.51.100.7)` → `mx.mail.test` */
export function readHost(value: string | undefined): string | undefined {
  const [host = ''] = (withoutType(value) ?? '').slice(0, MAX_CHARS).split(/[\s(]/);
  return host === '' ? undefined : host.toLowerCase().replace(/\.$/, '');
}
