import { judgeReply, type ReplyText, type ReplyVerdict } from '@postmesh/smtp-replies';
import { findReply } from './reply-codes.rules.js';
import type { DeliveryReport, RecipientStatus, Report } from './report.js';

/** Why a report changes nothing; a label of metrics. */
export type NothingBecause =
  /** the message is still on its way, or went on to where nothing is reported */
  | 'delayed'
  | 'delivered'
  | 'relayed'
  | 'expanded'
  /** `failed` with 4.x: given up, but nobody said no (spec 2-messages §15.4) */
  | 'failed-temporarily'
  /** `failed`, and no code says for how long */
  | 'no-status'
  | 'other-recipient'
  /** a complaint that is none: `not-spam`, `auth-failure`, … */
  | 'feedback-type'
  | 'auto-reply'
  | 'disposition-notification'
  | 'unknown';

/** What a report means for one message. */
export type ReportVerdict =
  | {
      readonly means: 'bounce';
      /** what decided, for the event and the log */
      readonly reply: ReplyText;
      /** the text as the report has it, with its codes */
      readonly diagnostic: string;
      readonly remoteMta?: string | undefined;
      /** class, kind, and what it does to the suppression list */
      readonly verdict: ReplyVerdict;
    }
  | { readonly means: 'complaint' }
  | { readonly means: 'nothing'; readonly because: NothingBecause };

/**
 * What a report means for one message (delivery rules: spec 2-messages §15.4, §15.5).
 * @param about the recipient of the message that the token names
 */
export function judgeReport(report: Report, about: { recipient: string }): ReportVerdict {
  switch (report.kind) {
    case 'dsn':
      return judgeRecipient(recipientOf(report, about.recipient), report.reportingMta);
    case 'bounce-text':
      return judgeRecipient(report, undefined);
    case 'complaint':
      return ACTING.has(report.feedbackType) ? { means: 'complaint' } : nothing('feedback-type');
    default:
      return nothing(report.kind);
  }
}

/** Other types are about something else than this message's recipient (RFC 5965 §7.3, RFC 6430, RFC 6591). */
const ACTING = new Set(['abuse', 'fraud']);

const nothing = (because: NothingBecause): ReportVerdict => ({ means: 'nothing', because });

/** A single group counts whatever it names: servers that forward name the next address. */
function recipientOf({ recipients }: DeliveryReport, recipient: string): RecipientStatus | undefined {
  if (recipients.length === 1) return recipients[0];
  const address = recipient.toLowerCase();
  return (
    recipients.find(({ originalRecipient }) => originalRecipient === address) ??
    recipients.find(({ finalRecipient }) => finalRecipient === address)
  );
}

function judgeRecipient(
  said: Pick<RecipientStatus, 'action' | 'status' | 'diagnostic' | 'remoteMta'> | undefined,
  _reportingMta: string | undefined,
): ReportVerdict {
  if (said === undefined) return nothing('other-recipient');
  const { action, status, diagnostic = '', remoteMta } = said;
  if (action !== undefined && action !== 'failed') return nothing(action);
  const code = findReply(diagnostic);
  const decides = code.enhancedStatusCode ?? status;
  if (decides === undefined && code.smtpCode === undefined) return nothing('no-status');
  if (!(decides ?? String(code.smtpCode)).startsWith('5')) return nothing('failed-temporarily');
  const reply = {
    smtpCode: code.smtpCode !== undefined && code.smtpCode >= 500 ? code.smtpCode : 550,
    enhancedStatusCode: decides,
    response: diagnostic,
  };
  return { means: 'bounce', reply, diagnostic, remoteMta, verdict: judgeReply(reply) };
}
