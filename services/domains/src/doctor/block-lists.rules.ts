import type { Lookup } from '../dns/dns-resolver.port.js';
import { withoutAddresses } from './addresses.rules.js';
import { fault, ok, unknownState, type CheckResult } from './check-result.js';

/** The answers of one list. */
export interface SeenList {
  zone: string;
  /** for entries that every list has (RFC 5782 §5) */
  present: readonly Lookup<string>[];
  /** for an entry that no list has */
  absent: Lookup<string>;
  /** for each address or name that was looked up */
  entries: ReadonlyMap<string, Lookup<string>>;
}

/** Entries by which a list shows that it works. */
export const TEST_ENTRIES = {
  addresses: { present: ['2.0.0.127'], absent: '1.0.0.127' },
  // lists of names have `test`, and many the address, too
  domains: { present: ['test', '2.0.0.127'], absent: 'invalid' },
} as const;

/** A zone of Spamhaus for customers begins with their key, which members must not see: `key.zen.dq.spamhaus.net`. */
export const shownZone = (zone: string): string => zone.replace(/^[^.]+\.(?=[^.]+\.dq\.spamhaus\.net$)/, '');

type Answer =
  | { kind: 'listed'; codes: readonly string[] }
  | { kind: 'clear' }
  | { kind: 'refused'; code: string }
  | { kind: 'unknown'; reason: string };

/** Spamhaus: 127.255.255.0/24 says that the query was refused. */
const DENIED = /^127\.255\.255\.\d+$/;
/** SURBL and URIBL refuse with it; RFC 5782 §2.1 has no list use it for an entry. */
const BLOCKED = '127.0.0.1';
/** Spamhaus DBL: it lists names alone, and was asked for an address. */
const WRONG_KIND = '127.0.1.255';

export function readAnswer(lookup: Lookup<string>): Answer {
  if (lookup.kind === 'none') return { kind: 'clear' };
  if (lookup.kind === 'unknown') return lookup;
  const denied = lookup.values.find((code) => DENIED.test(code) || code === BLOCKED);
  if (denied !== undefined) return { kind: 'refused', code: denied };
  const foreign = lookup.values.find((code) => !code.startsWith('127.'));
  if (foreign !== undefined)
    return { kind: 'unknown', reason: `the answer ${foreign} is none of a block list` };
  const codes = lookup.values.filter((code) => code !== WRONG_KIND);
  return codes.length > 0 ? { kind: 'listed', codes } : { kind: 'clear' };
}

/** @returns why nothing may be concluded from its answers; undefined for a list that works */
function brokenBecause({ present, absent }: SeenList): string | undefined {
  const tests = present.map(readAnswer);
  const refused = tests.find(({ kind }) => kind === 'refused');
  if (refused?.kind === 'refused')
    return `refuses our queries (${refused.code}), as lists do with public resolvers`;
  if (readAnswer(absent).kind === 'listed') return 'lists everything: it is out of use';
  const isAlive = present.some(
    (lookup) =>
      readAnswer(lookup).kind === 'listed' || (lookup.kind === 'found' && lookup.values.includes(WRONG_KIND)),
  );
  if (isAlive) return undefined;
  const silent = tests.find(({ kind }) => kind === 'unknown');
  return silent?.kind === 'unknown'
    ? `gives no answer: ${silent.reason}`
    : 'does not have its own test entry: it is out of use, or wants a registration';
}

interface Judged {
  lines: string[];
  listed: { subject: string; zone: string; codes: readonly string[] }[];
  /** lists that answered for every subject */
  answering: number;
}

function judgeAll(lists: readonly SeenList[]): Judged {
  const judged: Judged = { lines: [], listed: [], answering: 0 };
  for (const list of lists) {
    const why = brokenBecause(list);
    if (why !== undefined) {
      judged.lines.push(`${list.zone} ${why}`);
      continue;
    }
    const answers = [...list.entries].map(([subject, lookup]) => ({ subject, answer: readAnswer(lookup) }));
    for (const { subject, answer } of answers) {
      if (answer.kind === 'clear') continue;
      judged.lines.push(`${list.zone}, ${subject}: ${inWords(answer)}`);
      if (answer.kind === 'listed') judged.listed.push({ subject, zone: list.zone, codes: answer.codes });
    }
    const isWhole = answers.every(({ answer }) => answer.kind === 'clear' || answer.kind === 'listed');
    if (isWhole) judged.answering += 1;
    if (answers.every(({ answer }) => answer.kind === 'clear')) judged.lines.push(`${list.zone}: not listed`);
  }
  return judged;
}

const inWords = (answer: Exclude<Answer, { kind: 'clear' }>): string => {
  if (answer.kind === 'listed') return `listed (${answer.codes.join(', ')})`;
  return answer.kind === 'refused' ? `refused (${answer.code})` : `no answer: ${answer.reason}`;
};

const OWN_RESOLVER =
  'The operator sets POSTMESH_DNS_SERVERS to a resolver of the installation itself, or takes the list out of POSTMESH_ADDRESS_LISTS or POSTMESH_DOMAIN_LISTS.';

/** @param subjects number of addresses or names */
function judgeLists(
  id: 'address_lists' | 'domain_lists',
  lists: readonly SeenList[],
  { what, isOurs }: { what: string; isOurs: boolean },
): CheckResult {
  if (lists.length === 0) return unknownState(id, { text: 'No list is set.' });
  const { lines: details, listed, answering } = judgeAll(lists);
  const [first] = listed;
  if (first) {
    return fault(id, {
      text: `${first.subject} is on ${first.zone} (${first.codes.join(', ')})${listed.length > 1 ? `, and ${listed.length - 1} more entries are found` : ''}.`,
      fix: `${isOurs ? 'The operator of this installation stops' : 'Stop'} what has led to it, then asks ${first.zone} for a removal on its website; an entry that is asked away too early comes back.`,
      details,
    });
  }
  if (answering === 0) {
    return unknownState(id, { text: `No list gave an answer for ${what}.`, fix: OWN_RESOLVER, details });
  }
  const text = `Not listed by the ${answering} of ${lists.length} block lists that answer for ${what}.`;
  return ok(id, { text, details });
}

export const judgeAddressLists = (addresses: number, lists: readonly SeenList[]): CheckResult =>
  addresses === 0
    ? withoutAddresses('address_lists')
    : judgeLists('address_lists', lists, { what: 'our sending addresses', isOurs: true });

export const judgeDomainLists = (domain: string, lists: readonly SeenList[]): CheckResult =>
  judgeLists('domain_lists', lists, { what: domain, isOurs: false });
