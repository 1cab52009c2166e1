import { bodyBytes, leavesOf, readParts, textOf, type Part } from '@postmesh/mail-format';
import { MAX_PACKED_BYTES, UnreadableReport, unpackReport } from '../unpack/unpack-report.js';
import type { DomainReport } from './domain-report.js';
import { readAggregate } from './read-aggregate.js';
import { readFailure } from './read-failure.js';
import { readTls } from './read-tls.js';

/** A report has one; mail with more is searched for it no further. */
const MAX_CANDIDATES = 5;

/** Base64 with its line ends. */
const TRANSFER_EXCESS = 1.4;

/** Types of reports. Others are looked at by their first bytes: some writers have a wrong type, or none. */
const PACKED = new Set([
  'application/gzip',
  'application/x-gzip',
  'application/gzip-compressed',
  'application/zip',
  'application/x-zip',
  'application/x-zip-compressed',
  'application/octet-stream',
  'application/xml',
  'text/xml',
  'application/json',
  'application/tlsrpt+gzip',
  'application/tlsrpt+json',
]);

/**
 * The report in a message to the address for reports of a domain: an aggregate report of DMARC (RFC 7489 §7.2, RFC 9990), a
 * report about TLS (RFC 8460 §5.3) or a failure report (RFC 9991).
 * @returns undefined when the message is no report
 * @throws UnreadableReport for one that is broken or too large
 */
export async function readDomainReport(raw: Buffer): Promise<DomainReport | undefined> {
  const parts = leavesOf(readParts(raw).root);
  const feedback = parts.find(({ type }) => type === 'message/feedback-report');
  const failure = feedback && readFailure(textOf(feedback), parts.find(hasMessage)?.enclosed?.fields);
  if (failure) return failure;
  let unreadable: UnreadableReport | undefined;
  for (const part of parts
    .filter((part) => PACKED.has(part.type) || beginsLikeReport(part))
    .slice(0, MAX_CANDIDATES)) {
    try {
      return await readPacked(part);
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      unreadable ??= error;
    }
  }
  if (unreadable) throw unreadable;
  return undefined;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04');
/** Enough for the declaration of XML and the first tag. */
const FIRST_BYTES = 512;

/** Gzip; zip with the name of a report; or the XML of an aggregate report. */
function beginsLikeReport(part: Part): boolean {
  const first = bodyBytes({ ...part, body: part.body.subarray(0, FIRST_BYTES) });
  if (first.subarray(0, GZIP.length).equals(GZIP)) return true;
  if (first.subarray(0, ZIP.length).equals(ZIP)) return /\.xml|![^!]*!/i.test(nameOf(part));
  const text = first.toString().replace(/^[\s\ufeff]+/, '');
  return text.startsWith('<') && /<(?:[\w-]{1,30}:)?feedback[\s>]/i.test(text);
}

const nameOf = ({ fields, parameters }: Part): string =>
  `${parameters.get('name') ?? ''} ${fields.first('content-disposition') ?? ''}`;

const hasMessage = ({ enclosed }: Part): boolean => enclosed !== undefined;

async function readPacked(part: Part): Promise<DomainReport> {
  if (part.body.length > MAX_PACKED_BYTES * TRANSFER_EXCESS) throw new UnreadableReport('too many bytes');
  const text = await unpackReport(bodyBytes(part));
  const [begin] = /[^\s\ufeff]/.exec(text.toString('utf8', 0, 100)) ?? [];
  if (begin === '{') return readTls(text);
  if (begin === '<') return readAggregate(text);
  throw new UnreadableReport('neither XML nor JSON');
}
