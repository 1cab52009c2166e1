import { createHash } from 'node:crypto';
import { SUBDOMAIN_KINDS, type SendingDomain } from '../database/entities.js';
import { judgeDkimKey } from '../dns/dkim-key.rules.js';
import { readDmarc } from '../dns/dmarc.rules.js';
import {
  dnsRecords,
  recommendedSpf,
  wantedOwnKey,
  type DnsRecord,
  type RecordsContext,
} from '../dns/dns-records.rules.js';
import { isSpf, parseSpf } from '../dns/spf-record.rules.js';
import type { PresentRecord, RecordChange } from './hosts/dns-host.port.js';

/** The step for a record: `merged` and `replaced` change one that is there. */
export const STEPS = ['present', 'created', 'merged', 'replaced', 'refused'] as const;
type Step = (typeof STEPS)[number];

/** Reasons for which a record is left to its owner. */
export const CONFLICTS = [
  'spf_several',
  'spf_invalid',
  'dmarc_several',
  'dmarc_invalid',
  'dkim_other_key',
  'alias_of_another',
  'name_is_alias',
  'name_in_use',
  'mx_elsewhere',
  'special_record',
] as const;
type Conflict = (typeof CONFLICTS)[number];

export interface PlannedRecord {
  readonly record: DnsRecord;
  readonly step: Step;
  /** as it is written, or as it is there */
  readonly content: string;
  /** records in its place, in the form of the host */
  readonly found: readonly string[];
  readonly reason: Conflict | null;
  readonly change: RecordChange | null;
}

/** Which records at its names a domain has, and which it needs. */
interface Place {
  readonly domain: SendingDomain;
  readonly context: RecordsContext;
  readonly record: DnsRecord;
  /** all records at the name */
  readonly present: readonly PresentRecord[];
}

/**
 * The difference between the records that a domain needs and those of its zone. Only a record that is ours is ever replaced;
 * an SPF record of others gets our include; everything else at our names stays, and is a reason to write nothing there.
 */
export const planChanges = (
  domain: SendingDomain,
  context: RecordsContext,
  present: readonly PresentRecord[],
): PlannedRecord[] =>
  dnsRecords(domain, context).map((record) =>
    plan({ domain, context, record, present: present.filter(({ name }) => name === record.host) }),
  );

function plan(place: Place): PlannedRecord {
  const { record, present } = place;
  if (record.type === 'CNAME') return planAlias(place);
  const alias = present.filter(({ type }) => type === 'CNAME');
  if (alias.length > 0) return refused(place, 'name_is_alias', alias);
  const same = present.filter(({ type }) => type === record.type);
  if (same.some(({ isSpecial }) => isSpecial)) return refused(place, 'special_record', same);
  if (record.type === 'MX') return planMx(place, same);
  if (record.kind === 'spf') return planSpf(place, same);
  return record.kind === 'dmarc' ? planDmarc(place, same) : planKey(place, same);
}

function planAlias(place: Place): PlannedRecord {
  const { record, present } = place;
  const [only, ...more] = present;
  if (only === undefined) return written(place, 'created');
  const isOurs = only.type === 'CNAME' && pointsAtUs(place, only.content);
  if (more.length > 0 || only.type !== 'CNAME') return refused(place, 'name_in_use', present);
  if (only.content === record.content.toLowerCase() && !only.isSpecial) return there(place, only);
  return isOurs
    ? written(place, 'replaced', { replaced: only })
    : refused(place, 'alias_of_another', present);
}

/** Targets in the zone of the service: of this domain, or from before it was deleted and added again. */
function pointsAtUs({ context: { hosts } }: Place, target: string): boolean {
  return target.endsWith(`.${hosts.dkim_zone}`) || SUBDOMAIN_KINDS.some((kind) => hosts[kind] === target);
}

function planMx(place: Place, present: readonly PresentRecord[]): PlannedRecord {
  const hostOf = (content: string) => content.split(' ')[1];
  const ours = present.find(({ content }) => hostOf(content) === hostOf(place.record.content));
  if (ours) return there(place, ours);
  return present.length > 0 ? refused(place, 'mx_elsewhere', present) : written(place, 'created');
}

function planSpf(place: Place, present: readonly PresentRecord[]): PlannedRecord {
  const records = present.filter(({ content }) => isSpf(content));
  const [only, ...more] = records;
  const content = recommendedSpf(only?.content ?? null, place.context.hosts.spf);
  if (only === undefined) return written(place, 'created', { content, kept: present });
  if (more.length > 0) return refused(place, 'spf_several', records);
  if ('term' in parseSpf(only.content)) return refused(place, 'spf_invalid', records);
  if (content === only.content.trim().split(/\s+/).join(' ')) return there(place, only);
  return written(place, 'merged', { content, replaced: only, kept: present.filter((one) => one !== only) });
}

function planDmarc(place: Place, present: readonly PresentRecord[]): PlannedRecord {
  const reading = readDmarc({ kind: 'found', values: present.map(({ content }) => content) });
  if (reading.kind === 'policy')
    return there(
      place,
      present.find(({ content }) => content === reading.text),
    );
  if (reading.kind === 'several') return refused(place, 'dmarc_several', present);
  if (reading.kind === 'malformed') return refused(place, 'dmarc_invalid', present);
  // the policy of the domain above is in force
  return place.record.propagated ? there(place) : written(place, 'created', { kept: present });
}

function planKey(place: Place, present: readonly PresentRecord[]): PlannedRecord {
  const { domain } = place;
  const has = (values: readonly PresentRecord[], key: string): boolean =>
    judgeDkimKey({ kind: 'found', values: values.map(({ content }) => content) }, key).verdict === 'pass';
  const [only, ...more] = present;
  if (only === undefined) return written(place, 'created');
  if (has(present, wantedOwnKey(domain))) return there(place, only);
  const isOurs = Object.values(domain.publicKeys).some((key) => has([only], key ?? ''));
  return isOurs && more.length === 0
    ? written(place, 'replaced', { replaced: only })
    : refused(place, 'dkim_other_key', present);
}

const there = ({ record }: Place, present?: PresentRecord): PlannedRecord => ({
  record,
  step: 'present',
  content: present?.content ?? record.content,
  found: present ? [present.raw] : [],
  reason: null,
  change: null,
});

const refused = ({ record }: Place, reason: Conflict, found: readonly PresentRecord[]): PlannedRecord => ({
  record,
  step: 'refused',
  content: record.content,
  found: found.map(({ type, raw }) => (type === record.type ? raw : `${type} ${raw}`)),
  reason,
  change: null,
});

function written(
  { record }: Place,
  step: 'created' | 'merged' | 'replaced',
  {
    content = record.content,
    replaced,
    kept = [],
  }: { content?: string; replaced?: PresentRecord; kept?: readonly PresentRecord[] } = {},
): PlannedRecord {
  const change = { name: record.host, type: record.type, content, replaced, kept };
  return { record, step, content, found: replaced ? [replaced.raw] : [], reason: null, change };
}

/** Identifies what a person has seen: a write carries out nothing else. */
export const digestOf = (planned: readonly PlannedRecord[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        planned.map(({ record, step, content, found }) => [record.host, record.type, step, content, found]),
      ),
    )
    .digest('base64url')
    .slice(0, 22);
