import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ReadFields, readFields } from '@postmesh/mail-format';
import type { FailureReport } from './domain-report.js';

const MAX_CHARS = 64 * 1024;
const MAX_VALUE = 255;
const MAX_INCIDENTS = 1_000_000;

/**
 * The fields of an authentication failure report (RFC 6591, with those of RFC 9991).
 * @param text of the message/feedback-report part
 * @param enclosed fields of the message that failed, where the report has them
 * @returns undefined when it is a report of another type
 */
export function readFailure(text: string, enclosed?: ReadFields): FailureReport | undefined {
  const fields = new ReadFields(readFields(text.slice(0, MAX_CHARS).trimStart()));
  const first = (name: string): string | null => fields.first(name)?.trim().slice(0, MAX_VALUE) || null;
  if (first('feedback-type')?.toLowerCase() !== 'auth-failure') return undefined;
  const source = addressOf(first('source-ip') ?? '');
  const incidents = Number(first('incidents') ?? 1);
  return {
    kind: 'failure',
    reportedDomain: first('reported-domain')?.toLowerCase() ?? null,
    source,
    failure: first('auth-failure')?.toLowerCase() ?? 'unknown',
    alignment: first('identity-alignment')?.toLowerCase() ?? null,
    deliveryResult: first('delivery-result')?.toLowerCase() ?? null,
    dkimDomain: first('dkim-domain')?.toLowerCase() ?? null,
    arrivedAt: dateOf(first('arrival-date') ?? first('received-date')),
    messageIdHeader: /<[^<>\s]{1,900}>/.exec(enclosed?.first('message-id') ?? '')?.[0] ?? null,
    incidents: Number.isInteger(incidents) && incidents > 0 ? Math.min(incidents, MAX_INCIDENTS) : 1,
  };
}

/** Canonical; some writers have it in the form of a literal of SMTP. */
function addressOf(text: string): string | null {
  const address = text.replace(/^\[(?:ipv6:)?(.*)\]$/i, '$1');
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
}

function dateOf(text: string | null): Date | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at;
}
