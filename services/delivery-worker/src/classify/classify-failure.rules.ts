import { BOUNCE_RULES } from './bounce-rules.table.js';
import type { ReplyText } from '../smtp-client/smtp-outcome.js';
import type { BounceClass, BounceRule } from './bounce-rules.table.js';

// Codes without a meaning of their own (RFC 3463 §3.1, §3.6).
const VAGUE = new Set(['0.0', '5.0']);

/** The kind of a failure (spec 2-messages §15.2): the first line of the table that applies. */
export function classifyFailure(reply: ReplyText, rules: readonly BounceRule[] = BOUNCE_RULES): BounceClass {
  return rules.find((rule) => applies(rule, reply))?.is ?? 'Uncategorized';
}

function applies(rule: BounceRule, reply: ReplyText): boolean {
  if (rule.only !== undefined && rule.only !== (isTemporary(reply) ? 'temporary' : 'permanent')) return false;
  const detail = reply.enhancedStatusCode?.slice(2);
  if (detail !== undefined && rule.enhanced.some((wanted) => fits(wanted, detail))) return true;
  if (rule.smtpCodes.includes(reply.smtpCode) || rule.says?.test(reply.response) === true) return true;
  if (rule.saysIfVague !== undefined) {
    return (detail === undefined || VAGUE.has(detail)) && rule.saysIfVague.test(reply.response);
  }
  return (
    rule.only !== undefined &&
    rule.enhanced.length === 0 &&
    rule.smtpCodes.length === 0 &&
    rule.says === undefined
  );
}

function isTemporary({ smtpCode, enhancedStatusCode }: ReplyText): boolean {
  return smtpCode === 0 ? enhancedStatusCode?.startsWith('5') !== true : smtpCode < 500;
}

/** @param wanted `1.1`, `7.20-26` or `5.*` @param detail `7.26` */
function fits(wanted: string, detail: string): boolean {
  const [subject = '', range = ''] = wanted.split('.');
  const [ofSubject, ofDetail] = detail.split('.').map(Number);
  if (Number(subject) !== ofSubject || ofDetail === undefined) return false;
  if (range === '*') return true;
  const [from = 0, to = from] = range.split('-').map(Number);
  return ofDetail >= from && ofDetail <= to;
}
