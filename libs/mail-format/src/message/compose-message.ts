import MimeNode from 'nodemailer/lib/mime-node';
import { writeMailboxes } from '../addresses/mailbox-header.js';
import { foldHeader } from '../headers/fold-header.js';
import type { HeaderField } from '../headers/header-field.rules.js';
import { UnsafeMessage, writeHeader, writeText } from '../headers/write-header.js';
import { composeBody } from './compose-body.js';
import type { ComposedBody, Message, MessageContent } from './message-content.js';

const ADDRESS_HEADERS = new Set(['cc', 'reply-to']);
// What this file writes itself may not come a second time; nobody may see who else got a copy.
const OURS = new Set(['from', 'to', 'bcc', 'subject', 'message-id', 'mime-version']);

/**
 * Composes a message (RFC 5322, MIME): CRLF everywhere, no line beyond 998 characters, pure ASCII, no trace of
 * blind copies, and the same bytes every time, so that a retry is the same message.
 * @param body made before by `composeBody`, when several messages share it
 * @throws UnsafeMessage when something in the content would break out of its header
 */
export async function composeMessage(content: MessageContent, body?: ComposedBody): Promise<Message> {
  const written = writeMessageHeaders(content);
  const composed = body ?? (await composeBody(content, content.messageId));
  const headers = Buffer.from(`${written}MIME-Version: 1.0\r\n${composed.contentHeaders}`, 'latin1');
  return {
    headers,
    body: composed.chunks,
    size: headers.length + 2 + composed.size,
    eightBit: false,
  };
}

/** Every header but the MIME ones, each ended by CRLF. */
export function writeMessageHeaders(content: MessageContent): string {
  const custom = content.headers ?? [];
  const lines: string[] = [];
  if (!hasHeader(custom, 'date')) lines.push(`Date: ${formatDate(content.date)}`);
  lines.push(writeMailboxes('From', [content.from]));
  if (content.to.length > 0) lines.push(writeMailboxes('To', content.to));
  if (content.cc !== undefined && content.cc.length > 0) lines.push(writeMailboxes('Cc', content.cc));
  if (content.replyTo !== undefined) lines.push(writeMailboxes('Reply-To', [content.replyTo]));
  lines.push(writeText('Subject', content.subject), `Message-ID: ${checkMessageId(content.messageId)}`);
  for (const field of custom) lines.push(writeCustomHeader(field));
  return `${lines.join('\r\n')}\r\n`;
}

function writeCustomHeader(field: HeaderField): string {
  const name = field.name.toLowerCase();
  if (OURS.has(name) || name.startsWith('content-')) {
    throw new UnsafeMessage(`header '${name}' cannot be a custom header`);
  }
  if (!ADDRESS_HEADERS.has(name) || /^[\t\x20-\x7e]*$/.test(field.value)) return writeHeader(field);
  // Addresses with names beyond ASCII: only the names may become encoded words (RFC 2047 §5).
  writeHeader({ ...field, name: 'X-Checked' });
  return foldHeader(`${field.name}: ${MimeNode.encodeHeaderValue(name, field.value)}`);
}

/** RFC 5322 §3.3, in UTC. */
function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}

function checkMessageId(messageId: string): string {
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(messageId)) {
    throw new UnsafeMessage('the Message-ID is not <left@right>');
  }
  return messageId;
}

function hasHeader(fields: readonly HeaderField[], name: string): boolean {
  return fields.some((field) => field.name.toLowerCase() === name);
}
