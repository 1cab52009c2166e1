import { z } from 'zod';
import { JsonTooLarge, parseBoundedJson } from '@postmesh/contracts';
import { UnreadableReport } from '../unpack/unpack-report.js';
import type { TlsFailure, TlsReport } from './domain-report.js';

const MAX_POLICIES = 100;
const MAX_FAILURES = 1_000;
const MAX_JSON_BYTES = 2 * 1024 * 1024;

const words = z.string().transform((text) => text.slice(0, 255));
const name = words.transform((text) => text.toLowerCase().replace(/\.$/, ''));
const MAX_SESSIONS = 1_000_000_000_000;
/** Some writers have a number as text. */
const sessions = z
  .union([z.number(), z.string().regex(/^\d{1,13}$/)])
  .transform(Number)
  .pipe(z.number().int().min(0).max(MAX_SESSIONS));
const time = z.coerce.date();

const Failure = z.object({
  'result-type': name,
  'receiving-mx-hostname': name.nullish(),
  'failed-session-count': sessions.nullish(),
});

/** RFC 8460 §4.4; further members are left out, and those that some writers leave out are not needed. */
const Body = z.object({
  'organization-name': words.nullish(),
  'contact-info': words.nullish(),
  'report-id': words,
  'date-range': z.object({ 'start-datetime': time, 'end-datetime': time }),
  policies: z
    .array(
      z.object({
        policy: z.object({ 'policy-type': name, 'policy-domain': name.nullish() }),
        summary: z.object({
          'total-successful-session-count': sessions,
          'total-failure-session-count': sessions,
        }),
        'failure-details': z.array(Failure).max(MAX_FAILURES).nullish(),
      }),
    )
    .max(MAX_POLICIES),
});

/** A report about SMTP TLS (RFC 8460). @throws UnreadableReport */
export function readTls(json: Buffer): TlsReport {
  if (json.length > MAX_JSON_BYTES) throw new UnreadableReport('too many bytes');
  const body = Body.safeParse(parsed(json));
  if (!body.success) throw new UnreadableReport('no report about TLS');
  const { data } = body;
  return {
    kind: 'tls',
    organisation: data['organization-name'] ?? data['contact-info'] ?? 'unknown',
    reportId: data['report-id'],
    beginsAt: data['date-range']['start-datetime'],
    endsAt: data['date-range']['end-datetime'],
    policies: data.policies.map(({ policy, summary, 'failure-details': failures }) => ({
      policyType: policy['policy-type'],
      policyDomain: policy['policy-domain'] ?? '',
      succeeded: summary['total-successful-session-count'],
      failed: summary['total-failure-session-count'],
      failures: (failures ?? []).map(toFailure),
    })),
  };
}

const toFailure = (failure: z.infer<typeof Failure>): TlsFailure => ({
  resultType: failure['result-type'],
  mxHost: failure['receiving-mx-hostname'] ?? '',
  sessions: failure['failed-session-count'] ?? 0,
});

function parsed(json: Buffer): unknown {
  try {
    return parseBoundedJson(json);
  } catch (error) {
    if (error instanceof JsonTooLarge || error instanceof SyntaxError)
      throw new UnreadableReport(error instanceof JsonTooLarge ? error.message : 'broken JSON', {
        cause: error,
      });
    throw error;
  }
}
