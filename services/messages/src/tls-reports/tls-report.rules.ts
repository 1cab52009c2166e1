import { gzipSync } from 'node:zlib';
import { derivedId, SYSTEM_ACCOUNT_ID, type MessageId } from '@postmesh/contracts';
import type { TlsDomainSessions } from '@postmesh/delivery-worker-contract';
import type { DomainFacts } from '@postmesh/domains-contract';
import { composeTlsReport, parseEmailAddress } from '@postmesh/mail-format';
import { toSendRequest, type SendRequest } from '../accept/send-request.rules.js';
import type { SystemSender } from '../system-mail/system-mail.rules.js';

/** A record names one address, or a few. */
const MAX_DESTINATIONS = 4;
const MAX_DESTINATION = 500;
const DAY_S = 86_400;
const RETENTION = { metadataDays: 7, dataDays: 0 };

export interface ReportedDay {
  /** UTC, `2026-11-28` */
  readonly day: string;
  readonly sessions: TlsDomainSessions;
}

/**
 * The addresses of a domain for reports about TLS (RFC 8460 §3).
 * @param records texts at `_smtp._tls.<domain>`
 * @returns none without exactly one valid record
 */
export function readDestinations(records: readonly string[]): string[] {
  const [record, ...more] = records.filter((text) => /^v=TLSRPTv1\s*;/.test(text));
  if (record === undefined || more.length > 0) return [];
  const rua = record
    .split(';')
    .map((part) => /^\s*rua\s*=\s*(\S[^]*?)\s*$/.exec(part)?.[1])
    .find((value) => value !== undefined);
  const uris = (rua ?? '').split(',').map((uri) => uri.trim());
  const usable = uris.filter((uri) => uri.length <= MAX_DESTINATION && (mailboxOf(uri) ?? urlOf(uri)));
  return [...new Set(usable)].slice(0, MAX_DESTINATIONS);
}

/** @returns the address of `mailto:`, without further fields */
export function mailboxOf(uri: string): string | undefined {
  const [, text = ''] = /^mailto:([^?]*)/i.exec(uri) ?? [];
  try {
    const parsed = parseEmailAddress(decodeURIComponent(text));
    return parsed.ok ? parsed.address.address : undefined;
  } catch {
    return undefined;
  }
}

export const urlOf = (uri: string): URL | undefined =>
  /^https:/i.test(uri) && URL.canParse(uri) ? new URL(uri) : undefined;

/** One for each domain and day, so that a receiver recognises a repeated one. */
const reportId = ({ day, sessions }: ReportedDay): string =>
  derivedId(JSON.stringify(['tls-report', day, sessions.policy_domain]));

/** RFC 8460 §4. */
export function reportOf(reported: ReportedDay, { domain, mailbox }: SystemSender): object {
  const { day, sessions } = reported;
  return {
    'organization-name': domain,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': mailbox.email,
    'report-id': reportId(reported),
    policies: sessions.policies.map(({ type, text, succeeded, failed, failures }) => ({
      policy: {
        'policy-type': type,
        ...(text.length > 0 ? { 'policy-string': text } : {}),
        'policy-domain': sessions.policy_domain,
        ...mxOf(text),
      },
      summary: { 'total-successful-session-count': succeeded, 'total-failure-session-count': failed },
      'failure-details': failures.map(({ result, mx_host, sessions: count }) => ({
        'result-type': result,
        ...(mx_host === '' ? {} : { 'receiving-mx-hostname': mx_host }),
        'failed-session-count': count,
      })),
    })),
  };
}

/** The patterns of an MTA-STS policy. */
function mxOf(text: readonly string[]): object {
  const patterns = text.flatMap((line) => /^mx: (.*)$/.exec(line)?.[1] ?? []);
  return patterns.length > 0 ? { 'mx-host': patterns } : {};
}

export const packed = (report: object): Buffer => gzipSync(JSON.stringify(report));

interface MailFacts {
  readonly to: string;
  readonly sender: SystemSender;
  readonly domain: DomainFacts;
  readonly now: Date;
}

/** The mail of a report (RFC 8460 §5.3), of the service itself, with the null sender. */
export function toReportRequest(reported: ReportedDay, { to, sender, domain, now }: MailFacts): SendRequest {
  const { day, sessions } = reported;
  const about = sessions.policy_domain;
  const id = derivedId(JSON.stringify(['tls-report-mail', day, about, to])) as MessageId;
  const messageId = `<${id}@${domain.domain}>`;
  const subject = `Report Domain: ${about} Submitter: ${domain.domain} Report-ID: <${reportId(reported)}@${domain.domain}>`;
  const begin = Date.parse(day) / 1_000;
  const raw = composeTlsReport({
    from: sender.mailbox,
    to: { email: to },
    subject,
    messageId,
    date: now,
    autoSubmitted: 'auto-generated',
    text: `This is a report about the TLS of sessions with mail hosts of ${about} on ${day} (UTC), for ${to}.\n`,
    domain: about,
    submitter: domain.domain,
    fileName: `${domain.domain}!${about}!${begin}!${begin + DAY_S - 1}!${reportId(reported)}.json.gz`,
    file: packed(reportOf(reported, sender)),
  });
  return toSendRequest({
    kind: 'report',
    templateId: null,
    accountId: SYSTEM_ACCOUNT_ID,
    domain,
    sender: sender.mailbox.email,
    messageIdHeader: messageId,
    subject,
    content: { raw: [raw] },
    tags: [],
    tracking: { open: false, click: false },
    retention: RETENTION,
    schedule: { firstAttempt: null, expires: null },
    sandbox: null,
    acceptedAt: now,
    recipients: [{ id, email: to, name: '' }],
  });
}
