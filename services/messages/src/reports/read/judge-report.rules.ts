import {
  judgeReply,
  providerOfHost,
  suppressionOf,
  type ReplyText,
  type ReplyVerdict,
} from '@postmesh/smtp-replies';
import { parseEmailAddress } from '@postmesh/mail-format';
import { FORMS } from './bounce-texts/forms.table.js';
import { decidingReply } from './reply-codes.rules.js';
import type { DeliveryReport, RecipientStatus, Report } from './report.js';

/** The reason why a report has no effect; a label of metrics. */
type NothingBecause =
  /** the message is still in transit, or was passed to a system without reports */
  | 'delayed'
  | 'delivered'
  | 'relayed'
  | 'expanded'
  /** `failed` with 4.x: given up without a permanent reply (spec 2-messages §15.4) */
  | 'failed-temporarily'
  /** `failed`, without a duration */
  | 'no-status'
  | 'other-recipient'
  /** a complaint that is none: `not-spam`, `auth-failure`, … */
  | 'feedback-type'
  | 'auto-reply'
  | 'disposition-notification'
  | 'unknown';

/** The effect of a report on one message. */
export type ReportVerdict =
  | {
      readonly means: 'bounce';
      /** the deciding reply, for the event and the log */
      readonly reply: ReplyText;
      /** the text as the report has it, with its codes */
      readonly diagnostic: string;
      readonly remoteMta?: string | undefined;
      /** class, kind, and effect on the suppression list */
      readonly verdict: ReplyVerdict;
    }
  | { readonly means: 'complaint' }
  | { readonly means: 'nothing'; readonly because: NothingBecause };

/**
 * The effect of a report on one message (spec 2-messages §15.4, §15.5).
 * @param about the recipient of the message that the token names
 */
export function judgeReport(report: Report, about: { recipient: string }): ReportVerdict {
  switch (report.kind) {
    case 'dsn': {
      const status = statusFor(report, about.recipient);
      return status === undefined ? nothing('other-recipient') : judgeStatus(status, report);
    }
    case 'bounce-text':
      // its writer has given up; a text without any code is about one failed message
      return judgeStatus(report, { form: report.form, fallback: '5.0.0' });
    case 'complaint':
      return ACTING.has(report.feedbackType) ? { means: 'complaint' } : nothing('feedback-type');
    default:
      return nothing(report.kind === 'auto-reply' ? 'auto-reply' : report.kind);
  }
}

/** Other types are about something else than this message's recipient (RFC 5965 §7.3, RFC 6430, RFC 6591). */
const ACTING = new Set(['abuse', 'fraud']);

const nothing = (because: NothingBecause): ReportVerdict => ({ means: 'nothing', because });

/**
 * A single group counts with any recipient: forwarding servers name the next address. Among several groups those count
 * that name the recipient; where an alias led to many mailboxes, one failure among others is no bounce.
 */
function statusFor({ recipients }: DeliveryReport, recipient: string): RecipientStatus | undefined {
  if (recipients.length === 1) return recipients[0];
  const parsed = parseEmailAddress(recipient);
  const address = parsed.ok ? parsed.address.address : recipient.toLowerCase();
  const original = recipients.filter(({ originalRecipient }) => originalRecipient === address);
  const named = original.length > 0 ? original : recipients.filter((each) => each.finalRecipient === address);
  return named.find(({ action }) => action !== undefined && action !== 'failed') ?? named[0];
}

function judgeStatus(
  { action, status, diagnostic = '', remoteMta, command }: RecipientStatus,
  { form, reportingMta, fallback }: { form?: string; reportingMta?: string; fallback?: string },
): ReportVerdict {
  if (action !== undefined && action !== 'failed') return nothing(action);
  // the reporter's own status: no quoted text makes it final
  if (status?.startsWith('4') === true) return nothing('failed-temporarily');
  if (status?.startsWith('2') === true) return nothing('delivered');
  const found = decidingReply(status, diagnostic) ?? decidingReply(fallback, diagnostic);
  if (found === undefined) return nothing('no-status');
  const reply = command === undefined ? found : { ...found, command };
  if (reply.smtpCode < 500) return nothing('failed-temporarily');
  const host = remoteMta ?? reportingMta;
  const verdict = judgeReply(reply, { provider: host === undefined ? undefined : providerOfHost(host) });
  return { means: 'bounce', reply, diagnostic, remoteMta, verdict: aboutForm(verdict, form) };
}

/** A report of certain writers has a fixed subject, with any text and codes. */
function aboutForm(verdict: ReplyVerdict, id: string | undefined): ReplyVerdict {
  const about = FORMS.find((form) => form.id === id)?.about;
  if (about === undefined || (about.over === 'unless-known' && verdict.kind !== 'other')) return verdict;
  const { kind } = about;
  return { class: about.class, kind, rule: `form-${id}`, suppresses: suppressionOf(kind, false) };
}
