import { leavesOf, readParts, textOf, type Part } from '@postmesh/mail-format';
import { findAutoReply } from './auto-replies/find-auto-reply.js';
import type { Form } from './bounce-texts/forms.schema.js';
import { findForm, readForm, type FormMarks } from './bounce-texts/read-form.js';
import { readComplaint } from './complaints/read-complaint.js';
import { readDeliveryStatus, type DeliveryStatus } from './delivery-status/read-delivery-status.js';
import { findEnclosed, readEnclosed } from './enclosed-message.js';
import { findTokens } from './find-tokens.js';
import { readOwnText } from './own-text.js';
import { findCommand, findReply } from './reply-codes.rules.js';
import type {
  BounceText,
  Complaint,
  DeliveryReport,
  RecipientStatus,
  Report,
  ReportContext,
} from './report.js';

/** A message with its parts. */
interface Opened {
  readonly root: Part;
  readonly parts: readonly Part[];
  readonly marks: FormMarks;
  readonly status?: DeliveryStatus | undefined;
  readonly enclosed?: Part | undefined;
}

/**
 * Classifies a message to one of our bounce or feedback addresses (spec 2-messages §15.4, §15.5). Takes any bytes and
 * never throws; a message that is no report is `unknown`. The order matters: a report with a status is one even if it
 * is marked as automatic, and a textual bounce is checked before an auto-reply.
 */
export function readReport(raw: Buffer, { keys }: ReportContext): Report {
  const { root, cut } = readParts(raw);
  const opened = open(root);
  const about = {
    tokens: findTokens(root, keys),
    enclosed: opened.enclosed && readEnclosed(opened.enclosed.fields),
    cut,
  };
  if (isReceipt(opened)) return { kind: 'disposition-notification', ...about };
  const read = readStatus(opened) ?? readFeedback(opened) ?? readText(opened);
  if (read !== undefined) return { ...read, ...about };
  const why = findAutoReply(root.fields);
  return why === undefined ? { kind: 'unknown', ...about } : { kind: 'auto-reply', why, ...about };
}

function open(root: Part): Opened {
  const parts = leavesOf(root);
  const text = readOwnText(root);
  const statusPart = parts.find(({ type }) => STATUS_TYPES.has(type));
  const status = statusPart && readDeliveryStatus(textOf(statusPart));
  return {
    root,
    parts,
    status,
    marks: {
      fields: root.fields,
      statusFields: status?.fields,
      boundary: root.parameters.get('boundary') ?? '',
      text,
    },
    enclosed: findEnclosed(parts, text),
  };
}

const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status']);
const FEEDBACK_TYPE = 'message/feedback-report';
const RECEIPT_TYPES = new Set([
  'message/disposition-notification',
  'message/global-disposition-notification',
]);

/** RFC 8098: a person has read the message, or deleted it unread. */
function isReceipt({ root, parts }: Opened): boolean {
  const type = root.parameters.get('report-type')?.toLowerCase();
  return type === 'disposition-notification' || parts.some((part) => RECEIPT_TYPES.has(part.type));
}

type Read<T> = Omit<T, 'tokens' | 'enclosed' | 'cut'>;

function readStatus({ status, marks }: Opened): Read<DeliveryReport> | undefined {
  if (status === undefined || status.recipients.length === 0) return undefined;
  const form = findForm(marks);
  const { recipients, reportingMta } = status;
  const explained = form === undefined ? recipients : withReasons(recipients, form, marks);
  return {
    kind: 'dsn',
    form: form?.id,
    recipients: withCommands(explained, marks.text.says),
    reportingMta,
  };
}

/** With a single recipient the text may have the command instead of the status. */
function withCommands(recipients: readonly RecipientStatus[], says: string): RecipientStatus[] {
  return recipients.map((each) => {
    const text = recipients.length === 1 ? `${each.diagnostic ?? ''}\n${says}` : (each.diagnostic ?? '');
    const command = findCommand(text);
    return command === undefined ? each : { ...each, command };
  });
}

/** Some writers have the reason only in their text, with a status of x.0.0. */
function withReasons(
  recipients: readonly RecipientStatus[],
  form: Form,
  marks: FormMarks,
): RecipientStatus[] {
  const [only] = recipients;
  if (recipients.length !== 1 || only === undefined || saysWhy(only)) return [...recipients];
  const { reason } = readForm(form, marks);
  return [reason === undefined ? only : { ...only, diagnostic: reason }];
}

function saysWhy({ action, diagnostic }: RecipientStatus): boolean {
  return diagnostic !== undefined || (action !== undefined && action !== 'failed');
}

function readFeedback({ root, parts, marks, enclosed }: Opened): Read<Complaint> | undefined {
  const part = parts.find(({ type }) => type === FEEDBACK_TYPE);
  const found = readComplaint({
    fields: root.fields,
    enclosed: enclosed?.fields,
    feedback: part && textOf(part),
    text: marks.text.says,
  });
  return found && { kind: 'complaint', ...found };
}

function readText({ marks }: Opened): Read<BounceText> | undefined {
  const form = findForm(marks);
  if (form === undefined) return undefined;
  const { recipient, reason } = readForm(form, marks);
  if (reason === undefined && form.action === 'failed') return undefined;
  const diagnostic = reason ?? '';
  return {
    kind: 'bounce-text',
    form: form.id,
    action: form.action,
    recipient,
    status: findReply(diagnostic).enhancedStatusCode,
    diagnostic,
    remoteMta: remoteHost(diagnostic),
    command: findCommand(`${diagnostic}\n${marks.text.says}`),
  };
}

const HOST = /\b(?:host|server|by|with|to)[ :]{1,3}((?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{1,62})/i;

/** The host that the reason quotes: `host mx.mail.test [198.51.100.7] said: …` */
function remoteHost(reason: string): string | undefined {
  const [, host] = HOST.exec(reason) ?? [];
  return host?.toLowerCase();
}
