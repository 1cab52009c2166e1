import type { readVerp } from '@postmesh/mail-format';

/** Context of reading a message. It does not depend on the address of ours that received the message. */
export interface ReportContext {
  /** signing keys of our tokens, current first */
  readonly keys: Parameters<typeof readVerp>[1];
}

/** A token of ours in a received message; its signature is right. */
export interface ReportToken {
  readonly kind: 'bounce' | 'feedback';
  /** a message; of a feedback token also a send request, where all recipients share one message */
  readonly recordId: string;
}

/** The fields of the enclosed message in a report. They can be forged: only tokens are proof. */
export interface EnclosedMessage {
  /** with angle brackets, as written there */
  readonly messageId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly subject?: string | undefined;
  readonly date?: string | undefined;
  /** the addresses in List-Unsubscribe, without angle brackets */
  readonly listUnsubscribe: readonly string[];
}

/** One recipient's group of fields (RFC 3464 §2.3). */
export interface RecipientStatus {
  /** undefined when the field is missing or has another value */
  readonly action?: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | undefined;
  /** RFC 3463, `5.1.1` */
  readonly status?: string | undefined;
  /** Diagnostic-Code without its type */
  readonly diagnostic?: string | undefined;
  /** addresses in lower case, without their type */
  readonly finalRecipient?: string | undefined;
  readonly originalRecipient?: string | undefined;
  /** host name in lower case */
  readonly remoteMta?: string | undefined;
  /** the answered command, where the text has it and it comes before RCPT TO: `CONNECT`, `EHLO`, `MAIL FROM` */
  readonly command?: string | undefined;
}

interface AnyReport {
  /** found anywhere in the message, in their order, each once */
  readonly tokens: readonly ReportToken[];
  readonly enclosed?: EnclosedMessage | undefined;
  /** it was larger, deeper or had more parts than the limits; the rest was left out */
  readonly cut: boolean;
}

/** RFC 3464, or similar. */
export interface DeliveryReport extends AnyReport {
  readonly kind: 'dsn';
  /** id of forms.table.ts: the writer, where it is known */
  readonly form?: string | undefined;
  readonly recipients: readonly RecipientStatus[];
  readonly reportingMta?: string | undefined;
}

/** A textual bounce without a status part. */
export interface BounceText extends AnyReport {
  readonly kind: 'bounce-text';
  /** of forms.table.ts */
  readonly form: string;
  /** `failed` when the text excludes further attempts */
  readonly action: 'failed' | 'delayed';
  readonly recipient?: string | undefined;
  readonly status?: string | undefined;
  readonly diagnostic: string;
  readonly remoteMta?: string | undefined;
  /** as of a status */
  readonly command?: string | undefined;
}

/** RFC 5965 (ARF), or similar. */
export interface Complaint extends AnyReport {
  readonly kind: 'complaint';
  /** of complaints.table.ts */
  readonly form: string;
  /** in lower case: `abuse`, `fraud`, `not-spam`, … */
  readonly feedbackType: string;
  /** missing if the reporter hides it */
  readonly recipient?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly sourceIp?: string | undefined;
}

interface AutoReply extends AnyReport {
  readonly kind: 'auto-reply';
  /** the row of auto-replies.table.ts */
  readonly why: string;
}

interface OtherReport extends AnyReport {
  /** a read receipt (RFC 8098), or mail that is no report */
  readonly kind: 'disposition-notification' | 'unknown';
}

export type Report = DeliveryReport | BounceText | Complaint | AutoReply | OtherReport;
