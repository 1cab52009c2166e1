import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** One record as the API lists it in `dns_records` (spec 1-platform §11.2): full host name, content as text. */
export const PublishedRecord = z.object({ type: z.string(), host: z.string(), content: z.string() });
export type PublishedRecord = z.infer<typeof PublishedRecord>;

/** A record as it goes on the wire, in the form that dns-packet encodes. */
export type ZoneRecord =
  | { type: 'CNAME'; data: string }
  | { type: 'A' | 'AAAA' | 'NS' | 'PTR'; data: string }
  | { type: 'MX'; data: { preference: number; exchange: string } }
  | { type: 'TLSA'; data: TlsaData }
  | { type: 'TXT'; data: Buffer[] };

/** RFC 6698 §2.1 */
export interface TlsaData {
  usage: number;
  selector: number;
  matchingType: number;
  certificate: Buffer;
}

const LABEL = /^[\x21-\x2d\x2f-\x7e]{1,63}$/;
// A TXT record is a row of character-strings of at most 255 octets (RFC 1035 §3.3.14); readers join them.
const MAX_CHARACTER_STRING_BYTES = 255;
// RDLENGTH has 16 bits; less than half of it leaves space for the rest of a 64 KiB response.
const MAX_TXT_BYTES = 30_000;

/** The form for comparing names: lower case, no trailing dot (RFC 4343). */
export function canonicalName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/**
 * A host name fit for the wire (RFC 1035 §2.3.4): labels of 1-63 octets, 253 in all; IDN becomes punycode.
 * @returns the name in lower case without a trailing dot, or undefined when no packet could carry it
 */
export function wireName(text: string): string | undefined {
  const name = canonicalName(text.trim());
  // domainToASCII accepts underscores but drops whole names with odd characters: only IDN needs it.
  const ascii = /[^\x00-\x7f]/.test(name) ? domainToASCII(name) : name;
  if (ascii.length === 0 || ascii.length > 253) return undefined;
  return ascii.split('.').every((label) => LABEL.test(label)) ? ascii : undefined;
}

/** `example.test` is within `example.test` and within `test`. Both in canonical form. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** `a.b.test` → `a.b.test`, `b.test`, `test`. */
export function* nameAndParents(name: string): Generator<string> {
  yield name;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) yield name.slice(dot + 1);
}

/**
 * Parses a record in the form of the API.
 * @returns undefined when the type is not published here, or the content does not fit the type
 */
export function parseRecord(type: string, content: string): ZoneRecord | undefined {
  const text = content.trim();
  const upperType = type.toUpperCase();
  switch (upperType) {
    case 'A':
      return isIPv4(text) ? { type: upperType, data: text } : undefined;
    case 'AAAA':
      return isIPv6(text) && !text.includes('%') ? { type: upperType, data: text } : undefined;
    case 'CNAME':
    case 'NS':
    case 'PTR': {
      const target = wireName(text);
      return target === undefined ? undefined : { type: upperType, data: target };
    }
    case 'MX':
      return parseMx(text);
    case 'TXT':
      return parseTxt(content);
    case 'TLSA':
      return parseTlsa(text);
    default:
      return undefined;
  }
}

function parseMx(text: string): ZoneRecord | undefined {
  const [, preference = '', host = ''] = /^(\d{1,5})\s+(\S+)$/.exec(text) ?? [];
  if (preference === '' || Number(preference) > 0xffff) return undefined;
  // A lone dot is the null MX: this domain accepts no mail (RFC 7505).
  const exchange = host === '.' ? '.' : wireName(host);
  return exchange === undefined
    ? undefined
    : { type: 'MX', data: { preference: Number(preference), exchange } };
}

/** As in zone files, `3 1 1 <hex>`; values that no client can use are published, too. */
function parseTlsa(text: string): ZoneRecord | undefined {
  const [, usage, selector, matchingType, hex = ''] =
    /^(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+((?:[\da-f]{2})+)$/i.exec(text) ?? [];
  const numbers = [Number(usage), Number(selector), Number(matchingType)] as const;
  if (numbers.some((number) => !(number <= 0xff)) || hex.length > 2 * MAX_TXT_BYTES) return undefined;
  const [usageNumber, selectorNumber, matchingNumber] = numbers;
  return {
    type: 'TLSA',
    data: {
      usage: usageNumber,
      selector: selectorNumber,
      matchingType: matchingNumber,
      certificate: Buffer.from(hex, 'hex'),
    },
  };
}

function parseTxt(content: string): ZoneRecord | undefined {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_TXT_BYTES) return undefined;
  const count = Math.max(1, Math.ceil(bytes.length / MAX_CHARACTER_STRING_BYTES));
  const strings = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * MAX_CHARACTER_STRING_BYTES, (at + 1) * MAX_CHARACTER_STRING_BYTES),
  );
  return { type: 'TXT', data: strings };
}

/** Records by name, and the names that exist only because of names below them (RFC 8020). */
export class RecordIndex {
  private readonly records = new Map<string, ZoneRecord[]>();
  private readonly existing = new Set<string>();
  /** Records that cannot be published: unknown type, content or name that fits no packet. */
  unusable = 0;

  constructor(records: Iterable<PublishedRecord>) {
    for (const record of records) this.add(record);
  }

  at(name: string): readonly ZoneRecord[] {
    return this.records.get(name) ?? [];
  }

  exists(name: string): boolean {
    return this.existing.has(name);
  }

  private add({ type, host, content }: PublishedRecord): void {
    const name = wireName(host);
    const record = parseRecord(type, content);
    if (name === undefined || record === undefined) {
      this.unusable += 1;
      return;
    }
    const present = this.records.get(name);
    if (present === undefined) {
      this.records.set(name, [record]);
      for (const existing of nameAndParents(name)) this.existing.add(existing);
    } else if (!present.some((other) => excludes(other, record))) {
      present.push(record);
    }
  }
}

/**
 * Two accounts may own the same domain. Its zone can hold their equal records once, and one CNAME only
 * (RFC 1034 §3.6.2): the first to have been published stays.
 */
function excludes(present: ZoneRecord, added: ZoneRecord): boolean {
  if (present.type !== added.type) return false;
  return added.type === 'CNAME' || JSON.stringify(present.data) === JSON.stringify(added.data);
}
