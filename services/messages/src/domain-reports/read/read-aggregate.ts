import { setImmediate as breathe } from 'node:timers/promises';
import { isUtf8 } from 'node:buffer';
import { isIP } from 'node:net';
import { Parser } from 'htmlparser2';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { normaliseDomain } from '@postmesh/contracts';
import { registrable } from '../reporters.table.js';
import { UnreadableReport } from '../unpack/unpack-report.js';
import type { AggregateRecord, AggregateReport } from './domain-report.js';

/** A record has some 25 elements, and is six levels deep. */
const MAX_DEPTH = 12;
const MAX_ELEMENTS = 600_000;
const MAX_RECORDS = 20_000;
const MAX_TEXT = 1_000;
/** Results of one method in a record: a message has a few signatures. */
const MAX_RESULTS = 20;
/** of the messages of one record; a report is of a day */
const MAX_COUNT = 1_000_000_000;
// some milliseconds of the process; other work runs in between
const SLICE_BYTES = 64 * 1024;

/** Texts by the path below their record or report, the first one of each: `row/source_ip`. */
type Texts = Map<string, string>;

/** A record while it is read. The results of each method are apart: a record has several signatures. */
interface OpenRecord {
  readonly texts: Texts;
  readonly results: Readonly<Record<Method, Texts[]>>;
  /** the result that is read, with names of its own */
  result: Texts | undefined;
}
type Method = 'dkim' | 'spf';
const METHOD = /^auth_results\/(dkim|spf)$/;
const RESULT = /^auth_results\/(?:dkim|spf)\/(.*)$/s;

/** One writer wraps the report in the tag of its schema, and does not close it. */
const WRAPPER = 'schema';

/**
 * A DMARC aggregate report in the form of RFC 7489 Appendix C, of the drafts before it, or of RFC 9990, with or without
 * namespaces. Document types are refused: no report has one, and entities are what makes small XML large.
 * @throws UnreadableReport
 */
export async function readAggregate(xml: Buffer): Promise<AggregateReport> {
  const reader = new ReportReader();
  const parser = new Parser(
    {
      onopentagname: (name) => reader.open(name),
      ontext: (text) => reader.text(text),
      onclosetag: (_, isImplied) => reader.close(isImplied),
      onprocessinginstruction: (name) => reader.instruction(name),
    },
    { xmlMode: true, decodeEntities: true },
  );
  const text = new TextDecoder(isUtf8(xml) ? 'utf-8' : 'windows-1252').decode(xml);
  for (let at = 0; at < text.length; at += SLICE_BYTES) {
    parser.write(text.slice(at, at + SLICE_BYTES));
    await breathe();
  }
  parser.end();
  return reader.report();
}

class ReportReader {
  private readonly path: string[] = [];
  private readonly head: Texts = new Map();
  private readonly records: AggregateRecord[] = [];
  private record: OpenRecord | undefined;
  /** its end tag was read */
  private isWhole = false;
  private written = '';
  private elements = 0;
  private skipped = 0;

  open(name: string): void {
    if (++this.elements > MAX_ELEMENTS) throw new UnreadableReport('too many elements');
    if (this.path.length >= MAX_DEPTH) throw new UnreadableReport('nested too deeply');
    this.path.push(localName(name));
    if (this.path.length === 1 && this.path[0] === WRAPPER) this.path.pop();
    if (this.path.length === 1 && this.path[0] !== 'feedback')
      throw new UnreadableReport('no aggregate report');
    if (this.path.length === 2 && this.path[1] === 'record')
      this.record = { texts: new Map(), results: { dkim: [], spf: [] }, result: undefined };
    if (this.record && this.path.length === 4) beginResult(this.record, this.key());
    this.written = '';
  }

  text(text: string): void {
    if (this.written.length < MAX_TEXT) this.written += text.slice(0, MAX_TEXT);
  }

  /** @param isImplied by the end of another element, or of the text */
  close(isImplied: boolean): void {
    const key = this.key();
    const value = this.written.trim();
    if (this.record) keepText(this.record, key, value);
    else if (value !== '' && !this.head.has(key)) this.head.set(key, value);
    this.written = '';
    if (this.path.length === 1) this.isWhole = !isImplied;
    if (this.record && this.path.length === 2) {
      this.add(this.record);
      this.record = undefined;
    }
    this.path.pop();
  }

  /** The path below the record or the report. */
  private key(): string {
    return this.path.slice(this.record ? 2 : 1).join('/');
  }

  instruction(name: string): void {
    if (/^!(?:doctype|entity)/i.test(name)) throw new UnreadableReport('a document type');
  }

  report(): AggregateReport {
    if (this.elements === 0) throw new UnreadableReport('no aggregate report');
    if (!this.isWhole) throw new UnreadableReport('an aggregate report that ends too early');
    const head = Head.safeParse(Object.fromEntries(this.head));
    if (!head.success) throw new UnreadableReport('an aggregate report without its metadata');
    const { data } = head;
    return {
      kind: 'dmarc',
      organisation: data['report_metadata/org_name'] ?? data['report_metadata/email'] ?? 'unknown',
      reportId: data['report_metadata/report_id'],
      beginsAt: data['report_metadata/date_range/begin'],
      endsAt: data['report_metadata/date_range/end'],
      policy: {
        domain: data['policy_published/domain'].toLowerCase(),
        p: data['policy_published/p'] ?? 'none',
      },
      records: this.records,
      skipped: this.skipped,
    };
  }

  private add({ texts, results }: OpenRecord): void {
    if (isEmpty(texts)) return;
    const read = this.records.length < MAX_RECORDS ? Row.safeParse(Object.fromEntries(texts)) : undefined;
    const record = read?.success ? toRecord(read.data, results) : undefined;
    if (record) this.records.push(record);
    else this.skipped += 1;
  }
}

function beginResult(record: OpenRecord, key: string): void {
  const [, method] = METHOD.exec(key) ?? [];
  if (method === undefined) return;
  const results = record.results[method as Method];
  record.result = new Map();
  if (results.length < MAX_RESULTS) results.push(record.result);
}

function keepText(record: OpenRecord, key: string, value: string): void {
  if (value === '') return;
  const [, name] = RESULT.exec(key) ?? [];
  const texts = name === undefined ? record.texts : record.result;
  if (!texts?.has(name ?? key)) texts?.set(name ?? key, value);
}

/** Some writers report a day without messages by a record without any. */
const isEmpty = (texts: Texts): boolean =>
  Number(texts.get('row/count') ?? 0) === 0 && !texts.has('row/source_ip');

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

const words = z.string().max(MAX_TEXT);
const lower = words.transform((text) => text.toLowerCase());
/** Seconds since 1970; some writers have a fraction. */
const seconds = z.coerce
  .number()
  .min(1)
  .max(32_503_680_000)
  .transform((value) => new Date(Math.trunc(value) * 1_000));
const domainName = words.transform((text, context) => {
  const name = normaliseDomain(text.replace(/\.$/, ''));
  if (name === undefined) context.addIssue('no domain');
  return name ?? '';
});

const Head = z.object({
  'report_metadata/org_name': words.optional(),
  'report_metadata/email': words.optional(),
  'report_metadata/report_id': words,
  'report_metadata/date_range/begin': seconds,
  'report_metadata/date_range/end': seconds,
  'policy_published/domain': words,
  'policy_published/p': lower.optional(),
});

const Row = z.object({
  'row/source_ip': words.refine((text) => isIP(text) !== 0),
  'row/count': z.coerce.number().int().min(1).max(MAX_COUNT),
  'row/policy_evaluated/disposition': lower.optional(),
  'row/policy_evaluated/dkim': lower.optional(),
  'row/policy_evaluated/spf': lower.optional(),
  'row/policy_evaluated/reason/type': lower.optional(),
  'identifiers/header_from': domainName.optional(),
  // of drafts before RFC 7489
  'identities/header_from': domainName.optional(),
});

const AuthResult = z.object({
  domain: lower.optional(),
  result: lower.optional(),
  scope: lower.optional(),
});
type AuthResult = z.infer<typeof AuthResult>;

function toRecord(row: z.infer<typeof Row>, results: OpenRecord['results']): AggregateRecord | undefined {
  const disposition = row['row/policy_evaluated/disposition'];
  const headerFrom = row['identifiers/header_from'] ?? row['identities/header_from'];
  if (headerFrom === undefined) return undefined;
  const signature = bestOf(results.dkim, (one) => [hasDomainOf(one, headerFrom), one.result === 'pass']);
  const path = bestOf(results.spf, (one) => [one.domain !== undefined, one.scope !== 'helo']);
  return {
    source: ipaddr.process(row['row/source_ip']).toString(),
    count: row['row/count'],
    // RFC 9990 has `pass` for messages that the policy does not concern
    disposition: disposition === 'reject' || disposition === 'quarantine' ? disposition : 'none',
    dkim: row['row/policy_evaluated/dkim'] === 'pass',
    spf: row['row/policy_evaluated/spf'] === 'pass',
    override: row['row/policy_evaluated/reason/type'] ?? null,
    headerFrom,
    dkimDomain: signature?.domain ?? null,
    dkimResult: signature?.result ?? null,
    spfDomain: path?.domain ?? null,
    spfResult: SPF_RESULTS[path?.result ?? ''] ?? path?.result ?? null,
  };
}

/** Words of drafts and of some writers. */
const SPF_RESULTS: Readonly<Record<string, string>> = {
  hardfail: 'fail',
  unknown: 'temperror',
  error: 'temperror',
};

const hasDomainOf = ({ domain }: AuthResult, headerFrom: string): boolean =>
  domain !== undefined && registrable(domain) === registrable(headerFrom);

/** @param merits the first one counts most @returns the first of equal ones */
function bestOf(
  results: readonly Texts[],
  merits: (one: AuthResult) => readonly [boolean, boolean],
): AuthResult | undefined {
  const read = results.map((texts) => AuthResult.parse(Object.fromEntries(texts)));
  const ranked = read.map((one) => {
    const [most, more] = merits(one);
    return { one, rank: Number(most) * 2 + Number(more) };
  });
  return ranked.toSorted((one, other) => other.rank - one.rank)[0]?.one;
}
