import { isWithin, sameCase } from './host-name.rules.js';
import { BUILT_IN, SINK_MX } from './local-names.js';
import type { RecordIndex } from './record-index.js';
import type { ZoneRecord } from './record-text.rules.js';

export interface AnswerRecord {
  owner: string;
  record: ZoneRecord;
}

export interface LookUp {
  /** CNAMEs on the way, then the records asked for. */
  records: AnswerRecord[];
  /** `unknown`: only the published records could tell, and they were not at hand. */
  outcome: 'found' | 'no-data' | 'no-name' | 'endless' | 'unknown';
  /** The answer rests on a record's absence (no MX, so the sink's): older knowledge cannot give it. */
  byDefault: boolean;
}

export interface Names {
  /** The hand-published zone that covers a name, if any. */
  handZone(name: string): { name: string; records: RecordIndex } | undefined;
  published: RecordIndex | undefined;
}

interface Place {
  exists: boolean;
  records: readonly ZoneRecord[];
  sinkTakesMail: boolean;
}

// Longer chains are refused by the resolvers that people use, too.
const LONGEST_CHAIN = 16;

/**
 * Answers a question from what is known now; pure.
 * @param name as asked, in any letter case
 * @param type the record type, `ANY` for all
 */
export function lookUp(names: Names, name: string, type: string): LookUp {
  const result: LookUp = { records: [], outcome: 'endless', byDefault: false };
  let owner = name;
  for (let step = 0; step < LONGEST_CHAIN; step += 1) {
    const place = placeOf(names, sameCase(owner));
    if (place === undefined) return { ...result, outcome: 'unknown' };
    const wanted = place.records.filter((record) => type === 'ANY' || record.type === type);
    const alias = place.records.find(isAlias);
    if (wanted.length > 0 || alias === undefined) return conclude(result, owner, place, wanted, type);
    result.records.push({ owner, record: alias });
    owner = alias.data;
  }
  return result;
}

function isAlias(record: ZoneRecord): record is ZoneRecord & { type: 'CNAME' } {
  return record.type === 'CNAME';
}

function conclude(
  result: LookUp,
  owner: string,
  place: Place,
  wanted: readonly ZoneRecord[],
  type: string,
): LookUp {
  const byDefault = wanted.length === 0 && place.sinkTakesMail && (type === 'MX' || type === 'ANY');
  const answers = byDefault ? [SINK_MX] : wanted;
  for (const record of answers) result.records.push({ owner, record });
  if (answers.length > 0) return { ...result, outcome: 'found', byDefault };
  return { ...result, outcome: place.exists ? 'no-data' : 'no-name' };
}

const NOWHERE: Place = { exists: false, records: [], sinkTakesMail: false };

/** What stands at one name; undefined when only the published records could tell. */
function placeOf(names: Names, name: string): Place | undefined {
  const hand = names.handZone(name);
  if (hand !== undefined) return written(hand.records, name);
  const builtIn = BUILT_IN.get(name);
  if (builtIn !== undefined) return { exists: true, records: builtIn, sinkTakesMail: false };
  if (isUnpublished(name)) return NOWHERE;
  if (names.published === undefined) return undefined;
  const place = written(names.published, name);
  // Every .test domain takes mail, so every name below .test exists; `test` itself is no domain of anybody.
  if (name.endsWith('.test')) return { ...place, exists: true, sinkTakesMail: true };
  return name === 'test' ? { ...place, exists: true } : place;
}

function written(records: RecordIndex, name: string): Place {
  return { exists: records.exists(name), records: records.at(name), sinkTakesMail: false };
}

/** A domain whose first label begins with `nodns` is nowhere, and so is all below it. */
export function isUnpublished(name: string): boolean {
  return isWithin(name, 'test') && name.split('.').some((label) => label.startsWith('nodns'));
}
