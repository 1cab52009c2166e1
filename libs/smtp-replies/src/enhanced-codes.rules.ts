import type { BounceClass, ReplyText } from './reply.js';

/** @param enhanced as `5.7.26` @param wanted `1.1`, `7.20-26` or `5.*` */
export function fitsCode(enhanced: string, wanted: string): boolean {
  const [, subject, detail] = enhanced.split('.');
  const [wantedSubject, range = ''] = wanted.split('.');
  if (subject !== wantedSubject) return false;
  if (range === '*') return true;
  const [from, to = from] = range.split('-').map(Number);
  return Number(detail) >= Number(from) && Number(detail) <= Number(to);
}

/** Our own texts without an enhanced code are temporary. */
export function isTemporary({ smtpCode, enhancedStatusCode }: ReplyText): boolean {
  return smtpCode === 0 ? enhancedStatusCode?.startsWith('5') !== true : smtpCode < 500;
}

/** Longer texts are not searched to their end. */
const MAX_TEXT_CHARS = 2_000;
/** RFC 3463, which has the subjects 0 to 7; not as a part of an address, a version or a name. */
const ENHANCED = /(?<![\w.])([245])\.[0-7]\.\d{1,3}(?!\d|\.\d)/g;

/**
 * The enhanced status code of a reply, anywhere in the text: the first that names a reason, else the first.
 * @param smtpCode whose class it must have; undefined: any
 */
export function findEnhancedCode(text: string, smtpCode?: number): string | undefined {
  const digit = smtpCode === undefined ? undefined : String(smtpCode).charAt(0);
  const codes = [...text.slice(0, MAX_TEXT_CHARS).matchAll(ENHANCED)]
    .filter(([, found]) => digit === undefined || found === digit)
    .map(([code]) => code);
  return codes.find(isSpecific) ?? codes[0];
}

/** More specific than its class. */
export const isSpecific = (enhanced: string | undefined): enhanced is string =>
  enhanced !== undefined && !isVague({ smtpCode: 0, response: '', enhancedStatusCode: enhanced });

// RFC 3463: "other or undefined" of its subject.
const VAGUE = ['0.0', '2.0', '3.0', '5.0'];

/** Whether the code leaves the decision to the text. */
export const isVague = ({ enhancedStatusCode }: ReplyText): boolean =>
  enhancedStatusCode === undefined || VAGUE.some((wanted) => fitsCode(enhancedStatusCode, wanted));

/** Spec 2-messages §15.2, the part decided by codes, in its order. */
const CLASSES: readonly { enhanced: readonly string[]; code?: number; is: BounceClass }[] = [
  { enhanced: ['1.1', '1.0'], is: 'InvalidRecipient' },
  { enhanced: ['1.2', '1.10'], is: 'BadDomain' },
  { enhanced: ['2.1'], is: 'InactiveMailbox' },
  { enhanced: ['1.7', '1.8'], is: 'InvalidSender' },
  { enhanced: ['2.2'], code: 452, is: 'QuotaIssues' },
  { enhanced: ['4.1'], is: 'NoAnswerFromHost' },
  { enhanced: ['4.2'], is: 'BadConnection' },
  { enhanced: ['4.3', '4.6'], is: 'RoutingErrors' },
  { enhanced: ['4.4'], is: 'DNSFailure' },
  { enhanced: ['4.7'], is: 'MessageExpired' },
  { enhanced: ['5.*'], is: 'ProtocolErrors' },
  { enhanced: ['7.20-26'], is: 'AuthenticationFailed' },
  { enhanced: ['7.*'], is: 'PolicyRelated' },
];

export function classOfCodes(reply: ReplyText): BounceClass {
  const { enhancedStatusCode: enhanced, smtpCode } = reply;
  // 452 with a reason of policy is no full mailbox
  const code = enhanced?.split('.')[1] === '7' ? undefined : smtpCode;
  const found = CLASSES.find(
    (row) =>
      (row.code !== undefined && row.code === code) ||
      (enhanced !== undefined && row.enhanced.some((wanted) => fitsCode(enhanced, wanted))),
  );
  return found?.is ?? (isTemporary(reply) ? 'TransientFailure' : 'Uncategorized');
}
