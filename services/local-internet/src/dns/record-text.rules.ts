import { isIPv4, isIPv6 } from 'node:net';
import { wireName } from './host-name.rules.js';

export type ZoneRecord =
  | { type: 'CNAME'; data: string }
  | { type: 'A' | 'AAAA' | 'NS' | 'PTR'; data: string }
  | { type: 'MX'; data: { preference: number; exchange: string } }
  | { type: 'TXT'; data: Buffer[] };

export type ZoneRecordType = ZoneRecord['type'];

// A TXT record is a row of character-strings of at most 255 octets (RFC 1035 §3.3.14); readers join them.
const CHARACTER_STRING = 255;
// RDLENGTH has 16 bits; less than half of it leaves room for everything else in a 64 KiB answer.
const LONGEST_TXT = 30_000;

/**
 * Reads a record as a person or the API writes it.
 * @returns undefined when the type is none that we publish, or the content does not fit the type
 */
export function parseRecord(type: string, content: string): ZoneRecord | undefined {
  const text = content.trim();
  switch (type.toUpperCase()) {
    case 'A':
      return isIPv4(text) ? { type: 'A', data: text } : undefined;
    case 'AAAA':
      return isIPv6(text) && !text.includes('%') ? { type: 'AAAA', data: text } : undefined;
    case 'CNAME':
      return pointer('CNAME', text);
    case 'NS':
      return pointer('NS', text);
    case 'PTR':
      return pointer('PTR', text);
    case 'MX':
      return mailExchanger(text);
    case 'TXT':
      return textRecord(content);
    default:
      return undefined;
  }
}

function pointer(type: 'CNAME' | 'NS' | 'PTR', text: string): ZoneRecord | undefined {
  const target = wireName(text);
  return target === undefined ? undefined : { type, data: target };
}

function mailExchanger(text: string): ZoneRecord | undefined {
  const parts = /^(\d{1,5})\s+(\S+)$/.exec(text);
  const preference = Number(parts?.[1] ?? Number.NaN);
  if (!(preference <= 0xffff)) return undefined;
  // A lone dot is the null MX: this domain takes no mail (RFC 7505).
  const exchange = parts?.[2] === '.' ? '.' : wireName(parts?.[2] ?? '');
  return exchange === undefined ? undefined : { type: 'MX', data: { preference, exchange } };
}

function textRecord(content: string): ZoneRecord | undefined {
  const bytes = Buffer.from(content);
  if (bytes.length > LONGEST_TXT) return undefined;
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHARACTER_STRING) {
    strings.push(bytes.subarray(at, at + CHARACTER_STRING));
  }
  return { type: 'TXT', data: strings.length > 0 ? strings : [Buffer.alloc(0)] };
}
