import type { DmarcReading } from '../dns/dmarc.rules.js';
import type { Finding } from '../dns/record-lookups.js';
import { fault, ok, unknownState, warning, type CheckResult } from './check-result.js';

/** The records of a domain as they were seen, and its DMARC policy. */
export interface SeenRecords {
  domain: string;
  findings: readonly Finding[];
  dmarc: DmarcReading;
  /** where the policy was found, or ought to be */
  dmarcHost: string;
}

/** MX is not among them: most domains take their own mail elsewhere. */
const HOSTS: readonly string[] = ['return_path', 'tracking', 'subscription', 'media'];

/** SPF, DKIM, DMARC, alignment and the hosts of a domain. */
export const judgeRecords = (seen: SeenRecords): CheckResult[] => [
  judgeOne('spf', seen, ({ host }) => `SPF of ${host} allows this service to send.`),
  judgeDkim(seen),
  judgePolicy(seen),
  judgeAlignment(seen),
  judgeHosts(seen),
];

const find = ({ findings }: SeenRecords, kind: Finding['kind']): Finding | undefined =>
  findings.find((finding) => finding.kind === kind);

function judgeOne(
  id: 'spf' | 'dkim' | 'dmarc',
  seen: SeenRecords,
  praise: (finding: Finding) => string,
): CheckResult {
  const finding = find(seen, id);
  // the zone of the service has the records of its own
  if (!finding) return ok(id, { text: 'The record is part of the zone of this installation.' });
  const { verdict, problem, host } = finding;
  if (verdict === 'pass' && problem === null) return ok(id, { text: praise(finding) });
  const words = { text: `At ${host}: ${problem?.found ?? 'no answer'}.`, fix: problem?.advice };
  if (verdict === 'pass') return warning(id, words);
  return verdict === 'fail' ? fault(id, words) : unknownState(id, words);
}

function judgeDkim(seen: SeenRecords): CheckResult {
  const result = judgeOne('dkim', seen, ({ host }) => `The key of our signatures is at ${host}.`);
  const standby = find(seen, 'dkim_standby');
  if (result.state !== 'ok' || standby?.verdict !== 'fail') return result;
  const { host, problem } = standby;
  return warning('dkim', {
    text: `The key of our signatures is seen, the next one at ${host} is not: keys cannot rotate.`,
    fix: problem?.advice,
  });
}

function judgePolicy(seen: SeenRecords): CheckResult {
  const { dmarc, dmarcHost: host } = seen;
  const result = judgeOne('dmarc', seen, () =>
    dmarc.kind === 'policy' ? `The policy at ${host} is p=${dmarc.policy}.` : `There is a policy at ${host}.`,
  );
  if (result.state !== 'ok' || dmarc.kind !== 'policy' || dmarc.policy !== 'none') return result;
  return warning('dmarc', {
    text: `The policy at ${host} is p=none: receivers do nothing about forged mail.`,
    fix: 'Once reports show that all your own mail passes, write p=quarantine, later p=reject.',
  });
}

/** DMARC passes by an aligned signature, or by an aligned envelope sender (RFC 7489 §3.1). */
function judgeAlignment(seen: SeenRecords): CheckResult {
  const { domain, dmarc } = seen;
  const isStrict = dmarc.kind === 'policy' && dmarc.isSpfStrict;
  const [dkim, spf] = [find(seen, 'dkim'), find(seen, 'return_path')];
  const isSigned = dkim === undefined || dkim.verdict === 'pass';
  const isAligned = (spf === undefined || spf.verdict === 'pass') && !isStrict;
  const details = [
    `DKIM: signatures name d=${domain}, as From does${isSigned ? '' : '; their key is not seen'}`,
    `SPF: bounces go to ${spf?.host ?? domain}${isAligned ? ', below the domain of From' : isStrict ? '; aspf=s wants the domain itself' : ', which does not lead to us yet'}`,
  ];
  if (isSigned && isAligned)
    return ok('alignment', { text: 'SPF and DKIM pass for the domain of From.', details });
  if (isSigned) {
    return warning('alignment', {
      text: 'DKIM alone passes for the domain of From: a message whose signature breaks on its way fails DMARC.',
      fix: isStrict
        ? 'Write aspf=r in the DMARC record, or leave aspf out.'
        : (spf?.problem?.advice ?? undefined),
      details,
    });
  }
  if (dkim.verdict === 'unknown' || spf?.verdict === 'unknown')
    return unknownState('alignment', { text: 'DNS gave no answer that could be judged.', details });
  const fix = dkim.problem?.advice ?? undefined;
  if (isAligned) {
    const text = 'SPF alone passes for the domain of From: mail that is forwarded fails DMARC.';
    return warning('alignment', { text, fix, details });
  }
  return fault('alignment', {
    text: 'Neither SPF nor DKIM passes for the domain of From: DMARC fails for every message.',
    fix,
    details,
  });
}

function judgeHosts(seen: SeenRecords): CheckResult {
  const findings = seen.findings.filter(({ kind }) => HOSTS.includes(kind));
  const details = findings.map(
    ({ host, verdict, problem }) =>
      `${host}: ${verdict === 'pass' ? 'right' : (problem?.found ?? 'no answer')}`,
  );
  const wrong = findings.filter(({ verdict }) => verdict === 'fail');
  const [first] = wrong;
  if (first) {
    return warning('hosts', {
      text: `${wrong.length} of ${findings.length} optional records are not right: links or bounces use names of this service.`,
      fix: first.problem?.advice,
      details,
    });
  }
  if (findings.some(({ verdict }) => verdict === 'unknown'))
    return unknownState('hosts', { text: 'DNS gave no answer that could be judged.', details });
  return ok('hosts', { text: 'Links and bounces use names of the domain.', details });
}
