import { canonicalName, isWithin, type RecordIndex, type ZoneRecord } from './records.rules.js';
import type { CoveringZone, ZoneFailure } from './zones.js';

/** The host that accepts the mail of every `.test` domain. */
export const SINK_HOST = 'mx.local-internet.test';
const SINK_MX: ZoneRecord = { type: 'MX', data: { preference: 10, exchange: SINK_HOST } };

/** Names of no zone: the sink's own, and the reverse name of the one address. */
const BUILT_IN: ReadonlyMap<string, readonly ZoneRecord[]> = new Map<string, readonly ZoneRecord[]>([
  [SINK_HOST, [{ type: 'A', data: '127.0.0.1' }]],
  ['1.0.0.127.in-addr.arpa', [{ type: 'PTR', data: SINK_HOST }]],
]);

/** Common resolvers also refuse longer CNAME chains. */
const MAX_CHAIN_LENGTH = 16;

export interface LookUp {
  /** The CNAMEs of the chain, then the records of the question's type. */
  records: { owner: string; record: ZoneRecord }[];
  /** `unknown`: the answer needs the published records, and they were not given. */
  outcome: 'found' | 'no-data' | 'no-name' | 'failed' | 'refused' | 'silent' | 'unknown';
  /** The answer follows from the absence of a record (no MX, so the sink's): an older reading cannot give it. */
  isDefault: boolean;
  /** Every step was in a signed zone, also an absence. */
  secure: boolean;
}

export const FAILED: LookUp = { outcome: 'failed', records: [], isDefault: false, secure: false };

export interface KnownRecords {
  /** The zone that covers a name, if any. */
  zone(name: string): CoveringZone | undefined;
  /** Records of a house at a name; undefined for names of no house. */
  house?(name: string): HouseNode | undefined;
  published: RecordIndex | undefined;
}

/** The records at a name of a house. */
export interface HouseNode {
  exists: boolean;
  records: readonly ZoneRecord[];
  secure: boolean;
  failure?: ZoneFailure | undefined;
}

/** The answer when the zone of a step of the look-up fails. */
const FAILURES: Readonly<Record<ZoneFailure, LookUp['outcome']>> = {
  servfail: 'failed',
  refused: 'refused',
  silent: 'silent',
};

interface Node {
  failure?: ZoneFailure | undefined;
  exists: boolean;
  records: readonly ZoneRecord[];
  sinkTakesMail: boolean;
  secure?: boolean;
}

/**
 * Answers a question from the given records; pure.
 * @param name as in the question, in any case
 * @param type the record type, `ANY` for all
 */
export function lookUp(known: KnownRecords, name: string, type: string): LookUp {
  const records: LookUp['records'] = [];
  let owner = name;
  let secure = true;
  while (records.length < MAX_CHAIN_LENGTH) {
    const node = nodeAt(known, canonicalName(owner));
    if (node === undefined) return { records, outcome: 'unknown', isDefault: false, secure: false };
    if (node.failure) return { ...FAILED, outcome: FAILURES[node.failure] };
    secure &&= node.secure === true;
    const matching = node.records.filter((record) => type === 'ANY' || record.type === type);
    const alias = node.records.find((record) => record.type === 'CNAME');
    if (matching.length > 0 || alias === undefined) {
      const isDefault = matching.length === 0 && node.sinkTakesMail && (type === 'MX' || type === 'ANY');
      for (const record of isDefault ? [SINK_MX] : matching) records.push({ owner, record });
      if (matching.length > 0 || isDefault) return { records, outcome: 'found', isDefault, secure };
      return { records, outcome: node.exists ? 'no-data' : 'no-name', isDefault, secure };
    }
    records.push({ owner, record: alias });
    owner = alias.data;
  }
  return { ...FAILED, records };
}

/** The records at one name; undefined when they depend on the published records. */
function nodeAt({ zone, house, published }: KnownRecords, name: string): Node | undefined {
  const covering = zone(name);
  if (covering !== undefined) {
    const { failure, secure } = covering;
    return { ...nodeIn(covering.index, name), failure, secure };
  }
  const ofHouse = house?.(name);
  if (ofHouse !== undefined) return { ...ofHouse, sinkTakesMail: false };
  const builtIn = BUILT_IN.get(name);
  if (builtIn !== undefined) return { exists: true, records: builtIn, sinkTakesMail: false };
  if (isUnpublished(name)) return { exists: false, records: [], sinkTakesMail: false };
  if (published === undefined) return undefined;
  const node = nodeIn(published, name);
  // Every .test domain accepts mail, so every name below .test exists; `test` itself is no domain of a customer.
  if (name.endsWith('.test')) return { ...node, exists: true, sinkTakesMail: true };
  return name === 'test' ? { ...node, exists: true } : node;
}

function nodeIn(records: RecordIndex, name: string): Node {
  return { exists: records.exists(name), records: records.at(name), sinkTakesMail: false };
}

/** A domain whose first label begins with `nodns` does not exist, nor does anything below it. */
function isUnpublished(name: string): boolean {
  return isWithin(name, 'test') && name.split('.').some((label) => label.startsWith('nodns'));
}
