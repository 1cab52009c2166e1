import type { RecordProblem } from '../database/entities.js';
import type { DnsRecord } from './dns-records.rules.js';
import type { Cause, Verdict } from './judgement.js';

type Record = Pick<DnsRecord, 'kind' | 'type' | 'host' | 'content'>;
interface Words {
  found: string;
  advice: string;
  /** set when it differs from the required record */
  wanted?: string;
}
type WordsFor<C extends Cause> = (cause: C, record: Record) => Words;

/** Longer foreign answers are cut: they are stored in a row and shown on a screen. */
const MAX_FOUND = 1_000;

/** The problem of a record, in words for its owner. */
export function recordProblem(cause: Cause, record: Record): RecordProblem {
  const words = WORDS[cause.code] as WordsFor<Cause>;
  const { found, advice, wanted = wantedRecord(record) } = words(cause, record);
  return { code: cause.code, found: cut(found, MAX_FOUND), wanted, advice };
}

const wantedRecord = ({ type, host, content }: Record): string => `${type} record at ${host}: ${content}`;
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
const quote = (texts: readonly string[]): string => texts.map((text) => `"${cut(text, 300)}"`).join(', ');
const publish = ({ type, host, content }: Record): string =>
  `Publish at ${host} a ${type} record: ${content}`;
const withoutZone = (host: string, zone: string): string =>
  host === zone ? '@' : host.slice(0, -(zone.length + 1));
const chainOf = (host: string, chain: readonly string[]): string => [host, ...chain].join(' → ');

/** The member of the union that has this code, among others perhaps. */
type CauseOf<C, Member = Cause> = Member extends { code: infer Codes }
  ? C extends Codes
    ? Member
    : never
  : never;

const WORDS: { readonly [C in Cause['code']]: WordsFor<CauseOf<C>> } = {
  not_found: (_cause, record) => ({
    found: `${NAMED[record.kind] ?? `no ${record.type} record`} at ${record.host}`,
    // the record to publish comes last, because a full stop after it would be copied along
    advice: `A record that was published just now can take a while to be seen: the time to live of its zone. ${publish(record)}`,
  }),
  host_doubled: ({ at }, { host }) => ({
    found: `the record is at ${at}`,
    advice: `Your DNS provider adds ${at.slice(host.length + 1)} to every host name automatically, so now it is there twice. Enter "${withoutZone(host, at.slice(host.length + 1))}" as the host, or the full name with a dot at its end.`,
  }),
  wrong_host: ({ at }, { host }) => ({
    found: `the record is at ${at}`,
    advice: `Publish it at ${host}, and delete it at ${at} unless it is wanted there, too. Your DNS provider may want the host without the domain.`,
  }),
  quoted: ({ text }, { content }) => ({
    found: quote([text]),
    advice: `The quotation marks or spaces became part of the record: your DNS provider adds its own. Enter the value without them: ${content}`,
  }),
  name_is_alias: ({ target }, { type, host }) => ({
    found: `a CNAME at ${host} that leads to ${target}`,
    advice: `A name with a CNAME has no other records, so a ${type} record at ${host} is not seen. Replace the CNAME by the records that it leads to (A and AAAA records, say), then publish the ${type} record.`,
  }),
  alias_beside_data: ({ target, texts }, { host }) => ({
    found: `a CNAME to ${target} and also ${texts.length === 0 ? 'other records' : quote(texts)} at ${host}`,
    advice: `A name with a CNAME must have no other records: some resolvers see the CNAME, others the rest. Keep only the record that is wanted and delete the others at ${host}.`,
  }),
  inconclusive: ({ reason }, { host }) => ({
    found: `no answer that could be judged: ${reason}`,
    advice: `The records seen before still count, and ${host} is looked up again. If this stays so, have the name servers of the domain checked: they are away, refuse or fail.`,
  }),
  resolvers_disagree: ({ views }) => ({
    found: views.map(({ resolver, verdict }) => `${resolver}: ${VIEW[verdict]}`).join('; '),
    advice:
      'Resolvers see different records, as they do after a change until the old record has run out. The records seen before still count. If this stays so, the name servers of the domain do not all have the same records.',
  }),
  alias_wrong_target: ({ chain }, record) => ({
    found: `CNAME ${chainOf(record.host, chain)}`,
    advice: chain[0]?.startsWith(`${record.content}.`)
      ? `Your DNS provider adds ${chain[0].slice(record.content.length + 1)} to the target automatically. Enter the target with a dot at its end: ${record.content}.`
      : `Change the CNAME of ${record.host}: it has to lead to ${record.content}`,
  }),
  alias_too_long: ({ chain }, record) => ({
    found: `CNAMEs that do not come to an end: ${chainOf(record.host, chain)}`,
    advice: `Let the CNAME of ${record.host} lead to ${record.content} directly.`,
  }),
  alias_flattened: ({ addresses }, record) => ({
    found: `the addresses of ${record.content} (${addresses.join(', ')}) instead of a CNAME`,
    advice: `The record is flattened: your DNS provider answers with the addresses behind it, which go stale when ours change. Make it a plain CNAME to ${record.content} (not ALIAS or ANAME, flattening off).`,
  }),
  alias_proxied: ({ addresses }, record) => ({
    found: `addresses (${addresses.join(', ')}) instead of a CNAME`,
    advice: `A proxy is in front of ${record.host}, or A records (a wildcard's perhaps) are there. Switch the proxy off for this name ("DNS only"), delete its A and AAAA records, and publish the CNAME to ${record.content}`,
  }),
  alias_other_data: ({ texts }, record) => ({
    found: `no CNAME but a text record: ${quote(texts)}`,
    advice: `Delete the text record at ${record.host} and publish the CNAME to ${record.content}: the text behind it then changes automatically when it has to.`,
  }),
  mx_elsewhere: ({ exchanges }, record) => ({
    found: `mail goes to ${exchanges.map((name) => name || 'no host (null MX)').join(', ')}`,
    advice: `Only if we are to receive the mail of ${record.host}: publish MX ${record.content} in place of the others. To send, it is not needed.`,
  }),
  spf_several: ({ records }, record) => ({
    found: `${records.length} SPF records: ${quote(records)}`,
    advice: `Receivers read none of them when there are two. Keep one that holds everything: put all mechanisms between one "v=spf1" and one "all", with ours among them, and delete the rest. Ours alone would be: ${record.content}`,
  }),
  spf_syntax: ({ record: text, term }) => ({
    found: `${quote([text])}, where "${term}" is not understood`,
    advice: `Receivers read nothing of a record with a mistake in it. Correct or remove "${term}".`,
  }),
  spf_include_missing: ({ record: text }, record) => ({
    found: quote([text]),
    advice: `The record does not allow us to send. Change it to: ${record.content}`,
  }),
  spf_after_all: ({ record: text }, record) => ({
    found: `our include is after "all": ${quote([text])}`,
    advice: `Receivers stop reading at "all". Move our include before it: ${record.content}`,
  }),
  spf_wrong_qualifier: ({ record: text, qualifier }, record) => ({
    found: `our include with "${qualifier}" before it: ${quote([text])}`,
    advice: `"${qualifier}include" has receivers distrust our messages. Write it without a sign: ${record.content}`,
  }),
  spf_anybody: ({ record: text }) => ({
    found: `a record that lets anybody send before it comes to us: ${quote([text])}`,
    wanted: 'our include before an "all" that is none of "+all"',
    advice:
      '"+all", here or in an include, lets the whole world send in your name. Remove that, put our include before "all", and write "~all" or "-all".',
  }),
  spf_too_many_lookups: ({ record: text }) => ({
    found: `more than 10 DNS look-ups before our include is reached: ${quote([text])}`,
    advice:
      'Receivers give up after 10 look-ups (include, a, mx, ptr, exists and redirect count, also those inside includes). Remove includes that are no longer used, or move ours to the front.',
  }),
  spf_too_many_void_lookups: ({ record: text, names }) => ({
    found: `names in the record that do not exist (${names.join(', ')}): ${quote([text])}`,
    advice: 'Receivers give up after 2 look-ups that find nothing. Remove the mechanisms with these names.',
  }),
  spf_broken_include: ({ record: text, name, why }) => ({
    found: `${quote([text])} leads to ${name}, and there ${why}`,
    advice: `Receivers give up at that point and never come to our include. Remove or correct what names ${name}, or move our include before it.`,
  }),
  dkim_several: ({ count }, { host }) => ({
    found: `${count} keys at ${host}`,
    advice: `Receivers cannot know which key is meant. Keep only the one that is wanted.`,
  }),
  dkim_no_key: ({ texts }) => ({
    found: `no key (p=) in ${quote(texts)}`,
    advice: 'Replace the text by the record that is wanted, whole.',
  }),
  dkim_malformed: ({ text }) => ({
    found: quote([text]),
    advice:
      'A key record is a list of name=value parts between semicolons, each once, with v=DKIM1 first. Replace it by the record that is wanted, whole.',
  }),
  dkim_wrong_type: ({ type }) => ({
    found: `a key of the type ${type}`,
    advice: 'Our key is an RSA key. Replace the record by the one that is wanted, whole.',
  }),
  dkim_revoked: (_cause, { host }) => ({
    found: `an empty key (p=), which means that the key is revoked`,
    advice: `Replace the record at ${host} by the one that is wanted, whole.`,
  }),
  dkim_key_cut: ({ length, of }) => ({
    found: `the first ${length} of ${of} characters of the key`,
    advice:
      'The key was cut off: one string of a text record holds 255 characters. Enter the value in several strings ("…" "…") of one record, or have your DNS provider split it; do not make several records.',
  }),
  dkim_other_key: ({ published }) => ({
    found: `another key: p=${cut(published, 60)}`,
    advice:
      'The key belongs to another pair: one of another service or of an earlier time. Replace the record by the one that is wanted, whole.',
  }),
  dkim_key_unreadable: ({ published, isBare }) => ({
    found: `p=${cut(published, 60)}, which ${isBare ? 'holds our key in another form' : 'is no key'}`,
    advice: isBare
      ? 'The key has to be a SubjectPublicKeyInfo ("BEGIN PUBLIC KEY"), as it is wanted here; not a bare RSA key.'
      : 'The key was changed on its way into DNS: characters are missing or were added. Replace the record by the one that is wanted, whole.',
  }),
  dmarc_several: ({ host, records }) => ({
    found: `${records.length} DMARC records at ${host}: ${quote(records)}`,
    advice: `Receivers read none of them when there are two. Delete all but one at ${host}.`,
  }),
  dmarc_malformed: ({ host, text, why }) => ({
    found: `${quote([text])} at ${host}: ${why}`,
    advice: `Replace the record at ${host}. It begins with "v=DMARC1;" and names a policy: p=none, p=quarantine or p=reject.`,
  }),
  dmarc_strict_spf: ({ host, policy, text }) => ({
    found: `${quote([text])} at ${host} asks for strict SPF alignment (aspf=s)`,
    wanted: 'relaxed SPF alignment (aspf=r, which is the default)',
    advice: `Bounces go to a subdomain, so SPF is never strictly aligned: a message whose DKIM signature breaks on its way is ${DONE[policy] ?? policy} although SPF passes. Write aspf=r, or leave it out.`,
  }),
  dmarc_unaligned: ({ host, policy, text }) => ({
    found: `${quote([text])} at ${host}, while neither DKIM nor the return-path is right`,
    wanted: 'a right DKIM record, or a right return-path record',
    advice: `SPF passes for a name of ours, which is not the domain of the sender, and there is no signature that could be verified: messages are ${DONE[policy] ?? policy}. Publish the DKIM and the Return-Path record.`,
  }),
};

/** These names may have other text records, too. */
const NAMED: Partial<Readonly<{ [K in DnsRecord['kind']]: string }>> = {
  spf: 'no SPF record (a TXT record that begins with v=spf1)',
  dmarc: 'no DMARC record (a TXT record that begins with v=DMARC1)',
};

const VIEW: Readonly<{ [V in Verdict]: string }> = {
  pass: 'right',
  fail: 'not right',
  unknown: 'no answer that could be judged',
};
const DONE: Readonly<{ [policy: string]: string }> = { quarantine: 'quarantined', reject: 'rejected' };
