import { namesHost, readStsRecord, type StsPolicyText } from '@postmesh/http';
import type { Lookup, MailExchange } from '../dns/dns-resolver.port.js';
import { parseTagList } from '../dns/tag-list.rules.js';
import { fault, ok, unknownState, warning, type CheckResult } from './check-result.js';

/** The publications of a domain about TLS to its own mail hosts. */
export interface SeenTransport {
  domain: string;
  mx: Lookup<MailExchange>;
  /** at `_mta-sts.<domain>` */
  sts: Lookup<string>;
  /** undefined: no record announces one */
  policy:
    | { readonly ok: true; readonly policy: StsPolicyText }
    | { readonly ok: false; readonly reason: string }
    | undefined;
  /** at `_smtp._tls.<domain>` */
  rpt: Lookup<string>;
}

/** A policy that ends sooner protects little: an attacker waits (RFC 8461 §10.2 speaks of weeks). */
const LEAST_MAX_AGE_S = 7 * 86_400;

const SILENT = 'DNS gave no answer that could be judged';

/** MTA-STS of the mail hosts of the domain itself (RFC 8461). */
export function judgeSts({ domain, mx, sts, policy }: SeenTransport): CheckResult {
  if (sts.kind === 'unknown') return unknownState('mta_sts', { text: `${SILENT}: ${sts.reason}.` });
  const texts = sts.kind === 'found' ? sts.values.filter((text) => /^v=STSv1/i.test(text)) : [];
  if (texts.length === 0) return withoutSts(domain, mx);
  if (readStsRecord(texts) === undefined) {
    return fault('mta_sts', {
      text: `The record at _mta-sts.${domain} is not right, so senders ignore the policy.`,
      fix: `Keep one TXT record there, such as v=STSv1; id=20260101; (letters and digits).`,
      details: texts,
    });
  }
  if (policy === undefined || !policy.ok) {
    return fault('mta_sts', {
      text: `DNS announces a policy, and https://mta-sts.${domain}/.well-known/mta-sts.txt does not give one: ${policy?.reason ?? 'not fetched'}.`,
      fix: 'Serve the policy there as text/plain with status 200 and a valid certificate, or delete the record.',
    });
  }
  return judgePolicy(policy.policy, mx);
}

function withoutSts(domain: string, mx: Lookup<MailExchange>): CheckResult {
  if (mx.kind === 'none')
    return ok('mta_sts', { text: `${domain} takes no mail, so there is none to protect.` });
  return ok('mta_sts', {
    text: 'No MTA-STS: mail to the domain may come without TLS. It is optional, and changes nothing for mail from the domain.',
    fix: `To ask senders for TLS, publish a policy in mode testing at https://mta-sts.${domain}/.well-known/mta-sts.txt, and the record at _mta-sts.${domain}.`,
  });
}

function judgePolicy(
  { mode, mx: patterns, maxAgeSeconds }: StsPolicyText,
  mx: Lookup<MailExchange>,
): CheckResult {
  const details = [
    `mode: ${mode}`,
    `max_age: ${maxAgeSeconds}`,
    ...patterns.map((pattern) => `mx: ${pattern}`),
  ];
  if (mode === 'none') {
    const fix = 'Write mode: testing, later enforce; or delete the record once the old policy has run out.';
    return warning('mta_sts', { text: 'The policy has the mode none: it protects nothing.', fix, details });
  }
  if (mx.kind === 'unknown') return unknownState('mta_sts', { text: `${SILENT}: ${mx.reason}.`, details });
  const hosts = mx.kind === 'found' ? mx.values.map(({ exchange }) => exchange) : [];
  const strange = hosts.filter((host) => !namesHost(patterns, host));
  if (strange.length > 0) {
    const words = {
      text: `The policy does not name ${strange.join(', ')}, to which MX leads${mode === 'enforce' ? ': senders with MTA-STS do not deliver there' : ''}.`,
      fix: `Add mx: ${strange[0]} to the policy, and change the id in the record.`,
      details,
    };
    return mode === 'enforce' ? fault('mta_sts', words) : warning('mta_sts', words);
  }
  if (maxAgeSeconds < LEAST_MAX_AGE_S) {
    const fix = 'Write max_age: 1209600 (two weeks), and more once it is stable.';
    return warning('mta_sts', { text: `The policy lasts only ${maxAgeSeconds} seconds.`, fix, details });
  }
  if (mode === 'testing') {
    const fix = 'Once TLS reports show no failure, write mode: enforce, and change the id in the record.';
    return warning('mta_sts', {
      text: 'The policy is in mode testing: failures are only reported.',
      fix,
      details,
    });
  }
  return ok('mta_sts', { text: 'The policy is enforced, and names every mail host of the domain.', details });
}

/** The address for reports about TLS (RFC 8460 §3). */
export function judgeTlsRpt({ domain, rpt, sts }: SeenTransport): CheckResult {
  const host = `_smtp._tls.${domain}`;
  if (rpt.kind === 'unknown') return unknownState('tls_rpt', { text: `${SILENT}: ${rpt.reason}.` });
  const texts = rpt.kind === 'found' ? rpt.values.filter((text) => /^v=TLSRPTv1/i.test(text)) : [];
  const [text, ...more] = texts;
  const advice = `Publish at ${host} one TXT record: v=TLSRPTv1; rua=mailto:tls-reports@${domain}`;
  if (text === undefined) {
    const hasSts = sts.kind === 'found' && readStsRecord(sts.values) !== undefined;
    return hasSts
      ? warning('tls_rpt', {
          text: 'There is an MTA-STS policy, and no one reports its failures.',
          fix: advice,
        })
      : ok('tls_rpt', {
          text: 'No TLSRPT: senders do not report trouble with TLS. It is optional.',
          fix: advice,
        });
  }
  const why = more.length > 0 ? 'there are several records' : faultOf(text);
  if (why === undefined) return ok('tls_rpt', { text: `Reports go to ${ruasOf(text).join(', ')}.` });
  return fault('tls_rpt', {
    text: `The record at ${host} is not right: ${why}. Senders ignore it.`,
    fix: advice,
    details: texts,
  });
}

const ruasOf = (text: string): string[] =>
  (parseTagList(text)?.get('rua') ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');

function faultOf(text: string): string | undefined {
  const tags = parseTagList(text);
  if (!tags) return 'it is no list of name=value parts between semicolons';
  if (tags.get('v') !== 'TLSRPTv1') return 'it does not begin with v=TLSRPTv1';
  const ruas = ruasOf(text);
  if (ruas.length === 0) return 'it has no rua';
  const bad = ruas.find((uri) => !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/i.test(uri));
  return bad === undefined ? undefined : `${bad} is neither mailto: nor https:`;
}
