import type { SendingDomain, DnsRecordKind } from '../database/entities.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { judgeDkimKey } from './dkim-key.rules.js';
import { judgeDmarc, readDmarc, type DmarcReading } from './dmarc.rules.js';
import { dnsRecords, organisationalDomain, wantedOwnKey, type DnsRecord } from './dns-records.rules.js';
import { canonicalName, MAX_CNAME_CHAIN, type DnsLookups } from './dns-resolver.port.js';
import { fail, inconclusive, PASS, passWith, type Judgement, type Cause } from './judgement.js';
import { misplacedHosts } from './misplaced-hosts.rules.js';
import { evaluateSpf } from './spf-evaluation.js';
import { isSpf, parseSpf } from './spf-record.rules.js';

/** One record of a domain, to be checked. */
export interface Question {
  domain: SendingDomain;
  account: AccountSettings;
  record: DnsRecord;
}

/** Looks up one record and judges it as receivers of the domain's messages would (spec 1-platform §11.4). */
export async function judgeRecord(dns: DnsLookups, question: Question): Promise<Judgement> {
  const { kind, type } = question.record;
  if (type === 'CNAME') return judgeAlias(dns, question);
  if (type === 'MX') return seenAtAlias(dns, question, await judgeMx(dns, question));
  if (kind === 'spf') return judgeSpf(dns, question);
  if (kind === 'dmarc') return seenAtAlias(dns, question, await judgeDmarcInForce(dns, question));
  return seenAtAlias(dns, question, await judgeManualDkim(dns, question));
}

/** A chain of CNAMEs from a host, to its end or to the target. */
type Chain =
  { kind: 'reached' | 'ended' | 'too-long'; names: readonly string[] } | { kind: 'unknown'; reason: string };

async function walk(dns: DnsLookups, host: string, target: string): Promise<Chain> {
  const names: string[] = [];
  for (let step = 0; step <= MAX_CNAME_CHAIN; step += 1) {
    const alias = await dns.cname(names.at(-1) ?? host);
    if (alias.kind === 'unknown') return alias;
    const next = alias.kind === 'found' ? alias.values[0] : undefined;
    if (next === undefined) return { kind: 'ended', names };
    names.push(next);
    if (next === canonicalName(target)) return { kind: 'reached', names };
  }
  return { kind: 'too-long', names };
}

async function judgeAlias(dns: DnsLookups, question: Question): Promise<Judgement> {
  const { host, content, kind } = question.record;
  const chain = await walk(dns, host, content);
  switch (chain.kind) {
    case 'unknown':
      return inconclusive(chain);
    case 'reached':
      return kind === 'dkim' ? passWith(await besideAlias(dns, host, content)) : PASS;
    case 'too-long':
      return fail({ code: 'alias_too_long', chain: chain.names });
    case 'ended':
      if (chain.names.length > 0) return fail({ code: 'alias_wrong_target', chain: chain.names });
      return fail(await insteadOfAlias(dns, question));
  }
}

/** The records at a host that needs a CNAME. */
async function insteadOfAlias(dns: DnsLookups, question: Question): Promise<Cause> {
  const { host, content } = question.record;
  const [addresses, texts] = await Promise.all([dns.addresses(host), dns.txt(host)]);
  if (addresses.kind === 'found') {
    const target = await dns.addresses(content);
    const isSame =
      target.kind === 'found' && addresses.values.every((value) => target.values.includes(value));
    return { code: isSame ? 'alias_flattened' : 'alias_proxied', addresses: addresses.values };
  }
  if (texts.kind === 'found') return { code: 'alias_other_data', texts: texts.values };
  return notFound(question, async (at) => (await walk(dns, at, content)).kind === 'reached');
}

/** Texts of a name that also has a CNAME: resolvers see the text behind the CNAME, or these. */
async function besideAlias(dns: DnsLookups, host: string, target: string): Promise<Cause | null> {
  const [own, behind] = await Promise.all([dns.txt(host), dns.txt(target)]);
  if (own.kind !== 'found' || behind.kind === 'unknown') return null;
  const others = behind.kind === 'found' ? behind.values : [];
  const texts = own.values.filter((text) => !others.includes(text));
  return texts.length === 0 ? null : { code: 'alias_beside_data', target, texts };
}

/** Problems that an alias at the name may cause, since it hides all other records there. */
const HIDDEN_BY_ALIAS: ReadonlySet<Cause['code']> = new Set([
  'not_found',
  'host_doubled',
  'wrong_host',
  'spf_include_missing',
  'mx_elsewhere',
  'dkim_no_key',
  'dkim_other_key',
]);

async function seenAtAlias(dns: DnsLookups, { record }: Question, judgement: Judgement): Promise<Judgement> {
  const { verdict, cause } = judgement;
  if (verdict !== 'fail' || cause === null || !HIDDEN_BY_ALIAS.has(cause.code)) return judgement;
  const alias = await dns.cname(record.host);
  const target = alias.kind === 'found' ? alias.values[0] : undefined;
  return target === undefined ? judgement : fail({ code: 'name_is_alias', target });
}

async function judgeSpf(dns: DnsLookups, question: Question): Promise<Judgement> {
  const { host } = question.record;
  const ours = question.account.records.hosts.spf;
  const judgement = await evaluateSpf(host, await dns.txt(host), { ours, dns });
  if (judgement.verdict === 'pass') {
    const alias = await dns.cname(host);
    const target = alias.kind === 'found' ? alias.values[0] : undefined;
    return target === undefined ? judgement : passWith(await besideAlias(dns, host, target));
  }
  return seenAtAlias(dns, question, await placed(judgement, question, (at) => listsUs(dns, at, ours)));
}

async function listsUs(dns: DnsLookups, at: string, ours: string): Promise<boolean> {
  const texts = await dns.txt(at);
  if (texts.kind !== 'found') return false;
  return texts.values.filter(isSpf).some((text) => {
    const record = parseSpf(text);
    return (
      'directives' in record && record.directives.some(({ target }) => canonicalName(target ?? '') === ours)
    );
  });
}

async function judgeManualDkim(dns: DnsLookups, question: Question): Promise<Judgement> {
  const { domain, record } = question;
  const key = wantedOwnKey(domain);
  const judgement = judgeDkimKey(await dns.txt(record.host), key);
  return placed(judgement, question, async (at) => judgeDkimKey(await dns.txt(at), key).verdict === 'pass');
}

/** The domain's own policy, or the one of its organisational domain (RFC 7489 §6.6.3). */
export async function readDmarcInForce(
  dns: DnsLookups,
  domain: string,
): Promise<{ reading: DmarcReading; host: string; isInherited: boolean }> {
  const [host, parent] = [`_dmarc.${domain}`, `_dmarc.${organisationalDomain(domain)}`];
  const own = readDmarc(await dns.txt(host));
  const above = own.kind === 'absent' && parent !== host ? readDmarc(await dns.txt(parent)) : own;
  const isInherited = above !== own && above.kind !== 'absent';
  return { reading: isInherited ? above : own, host: isInherited ? parent : host, isInherited };
}

async function judgeDmarcInForce(dns: DnsLookups, question: Question): Promise<Judgement> {
  const { reading, host, isInherited } = await readDmarcInForce(dns, question.domain.domain);
  const [isReturnPathSeen, isSigned] = await Promise.all([
    passes(dns, question, 'return_path'),
    passes(dns, question, 'dkim'),
  ]);
  const judgement = judgeDmarc(reading, { host, isInherited, isReturnPathSeen, isSigned });
  return placed(judgement, question, async (at) => readDmarc(await dns.txt(at)).kind === 'policy');
}

/** A record without a look-up, or with a failed one, does not count against the policy. */
async function passes(dns: DnsLookups, { domain, account }: Question, kind: DnsRecordKind): Promise<boolean> {
  const record = dnsRecords(domain, account.records).find((other) => other.kind === kind);
  if (!record) return true;
  return (await judgeRecord(dns, { domain, account, record })).verdict !== 'fail';
}

async function judgeMx(dns: DnsLookups, question: Question): Promise<Judgement> {
  const ours = canonicalName(question.account.records.hosts.mx);
  const listsOurs = async (at: string) => {
    const found = await dns.mx(at);
    return found.kind === 'found' && found.values.some(({ exchange }) => exchange === ours);
  };
  const { host } = question.record;
  const found = await dns.mx(host);
  if (found.kind === 'unknown') return inconclusive(found);
  if (found.kind === 'none') return fail(await notFound(question, listsOurs));
  if (await listsOurs(host)) return PASS;
  return fail({ code: 'mx_elsewhere', exchanges: found.values.map(({ exchange }) => exchange) });
}

/** A missing record is looked up at common wrong hosts. */
async function placed(
  judgement: Judgement,
  question: Question,
  isThere: (at: string) => Promise<boolean>,
): Promise<Judgement> {
  return judgement.cause?.code === 'not_found' ? fail(await notFound(question, isThere)) : judgement;
}

async function notFound(
  { domain, record }: Question,
  isThere: (at: string) => Promise<boolean>,
): Promise<Cause> {
  const candidates = misplacedHosts(record, domain.domain);
  const found = await Promise.all(candidates.map(({ at }) => isThere(at)));
  return candidates.find((_candidate, index) => found[index]) ?? { code: 'not_found' };
}
