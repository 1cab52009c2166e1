import { ApiError, trimText } from '@postmesh/contracts';
import { readAttachment, type Attachment, type Mailbox } from '@postmesh/mail-format';
import type { RequestContent } from '@postmesh/message-content';
import type { AttachmentBody, ConversationBody, SharedFields } from './send.schema.js';
import {
  requireAsciiAddress,
  requireHeaderValues,
  requireOneLine,
  requireSubject,
  type RequestHeaders,
} from './shared-fields.rules.js';

type Contents = Pick<ConversationBody, 'subject' | 'text_content' | 'html_content' | 'amp_content'>;

/** @throws ApiError 400 without a subject, or with neither text nor HTML */
export function requireContent(input: Contents): void {
  requireSubject(input.subject);
  if (!input.text_content && !input.html_content) {
    throw new ApiError(400, 'Either text_content or html_content is required');
  }
}

/** Subject and bodies of a send with its own content. */
export const readTexts = (input: Contents): Pick<RequestContent, 'subject' | 'text' | 'html' | 'amp'> => ({
  subject: input.subject,
  text: input.text_content || undefined,
  html: input.html_content || undefined,
  amp: input.amp_content || undefined,
});

/**
 * The common fields of every send: reply-to, headers, attachments.
 * @param isRendered for one recipient at least
 * @throws ApiError 400 for invalid header values, an invalid reply-to address or invalid attachments
 */
export function readSurroundings(
  input: Pick<SharedFields, 'reply_to' | 'attachments'>,
  headers: RequestHeaders,
  isRendered: boolean,
): Pick<RequestContent, 'replyTo' | 'headers' | 'attachments'> {
  requireHeaderValues(headers, isRendered);
  const { reply_to: replyTo, attachments } = input;
  return {
    headers: headers.passed,
    ...(replyTo ? { replyTo: readMailbox(replyTo, 'reply_to') } : {}),
    ...(attachments?.length ? { attachments: attachments.map(attachmentAt) } : {}),
  };
}

/** @throws ApiError 400 with the name of the field */
const readMailbox = (given: { email: string; name?: string | null | undefined }, field: string): Mailbox =>
  namedMailbox(requireAsciiAddress(given.email, `${field}.email`).address, given.name, field);

/** @param email has been read already */
export function namedMailbox(email: string, given: string | null | undefined, field: string): Mailbox {
  const name = trimText(requireOneLine(given ?? '', `${field}.name`));
  return name === '' ? { email } : { email, name };
}

function attachmentAt(given: AttachmentBody, index: number): Attachment {
  const read = readAttachment({
    data: given.data,
    base64: given.base64 ?? false,
    content_type: given.content_type,
    file_name: given.file_name,
    content_disposition: given.content_disposition ?? undefined,
    content_id: given.content_id ?? undefined,
  });
  if (!read.ok) throw new ApiError(400, `attachments[${index}].${read.message}`);
  return read.attachment;
}
