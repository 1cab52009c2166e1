import { Inject, Injectable } from '@nestjs/common';
import {
  ApiError,
  apiResponse,
  newId,
  parseBody,
  type ApiResponse,
  type DomainFacts,
} from '@postmesh/contracts';
import {
  isMessageWithin,
  readAttachment,
  UnsafeMessage,
  type Attachment,
  type MessageContent,
} from '@postmesh/mail-format';
import { SETTINGS, type ApiCall } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DomainDirectory } from '../domain-facts/domain-directory.js';
import { requireMaySend, requireSendingDomain } from '../domain-facts/sending-domain.rules.js';
import { RecipientShields } from '../recipient-shields/recipient-shields.js';
import type { Shield } from '../recipient-shields/recipient-shields.rules.js';
import {
  headerMailboxes,
  readRecipients,
  recipientError,
  type ConversationRecipients,
} from './conversation.rules.js';
import { ConversationBody, type AttachmentBody } from './conversation.schema.js';
import {
  readRetention,
  readSandbox,
  readSchedule,
  readTags,
  readTracking,
  requireAddress,
  requireOneLine,
  requireSubject,
  sortHeaders,
} from './shared-fields.rules.js';
import { toSendResult, type SendResponse } from './send-result.js';
import { SendRequestWriter } from './send-request-writer.js';
import { toSendRequest, type AcceptedRequest } from './send-request.rules.js';

/** `POST …/messages/conversation`: one message with visible recipients (spec 2-messages §1.3). */
@Injectable()
export class AcceptConversationHandler {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly shields: RecipientShields,
    private readonly writer: SendRequestWriter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const body = parseBody(ConversationBody, call.body());
    const from = requireAddress(body.from.email, 'from.email');
    if (from.needsSmtpUtf8) throw new ApiError(400, 'from.email must be an ASCII address');
    const recipients = readRecipients(body);
    const headers = this.sortHeaders(body);
    const facts = await this.domains.find(call.accountId, from.domain);
    const domain = requireSendingDomain(call.principal, from.domain, facts);
    const shield = await this.shields.of(call.principal.account);
    const request = readRequest({ call, body, from: from.address, recipients, headers, domain, shield });
    requireMaySend(call.principal, domain, request.sandbox !== null);
    this.requireSize(request.content);
    return this.store(call, request);
  }

  private sortHeaders(body: ConversationBody) {
    return sortHeaders(body.headers, {
      controlPrefix: this.settings.controlHeaderPrefix,
      hasReplyTo: body.reply_to !== null && body.reply_to !== undefined,
      hasCc: body.cc !== null && body.cc !== undefined,
    });
  }

  private requireSize(content: MessageContent): void {
    try {
      if (isMessageWithin(content, this.settings.messageLimitBytes)) return;
    } catch (error) {
      if (error instanceof UnsafeMessage) throw new ApiError(400, error.message);
      throw error;
    }
    throw new ApiError(400, 'message size exceeds 20 MiB');
  }

  private async store(call: ApiCall, request: AcceptedRequest): Promise<ApiResponse> {
    const given = apiResponse(202, { object: 'list', data: request.results } satisfies SendResponse);
    // every recipient may have been refused: then there is nothing to send, and the answer says why
    if (request.recipients.length === 0) return given;
    const credit = request.sandbox === null ? call.principal.account : null;
    await this.writer.write({ ...toSendRequest(request), call, response: given, credit });
    return given;
  }
}

interface Parts {
  call: ApiCall;
  body: ConversationBody;
  from: string;
  recipients: ConversationRecipients;
  headers: ReturnType<typeof sortHeaders>;
  domain: DomainFacts;
  shield: Shield;
}

/** Everything of the request that can be wrong is found here, in the order of spec 2-messages §1.2. */
function readRequest({ call, body, from, recipients, headers, domain, shield }: Parts): AcceptedRequest {
  const { controls } = headers;
  const account = call.principal.account;
  requireContent(body);
  const retention = readRetention(body.retention, controls, account);
  const now = new Date();
  const schedule = readSchedule(body.schedule, now);
  const sandbox = readSandbox(body, controls);
  const tracking = readTracking(body.tracking, controls, account);
  const tags = readTags(body.tags, controls);
  const errors = recipients.distinct.map((recipient) => recipientError(recipient, shield));
  const sendable = recipients.distinct.filter((_, index) => errors[index] === undefined);
  const ids = sendable.map(() => newId(now.getTime()));
  const messageId = `<${ids[0] ?? newId()}@${domain.domain}>`;
  const idOf = new Map(sendable.map((recipient, index) => [recipient, ids[index] as string]));
  return {
    accountId: call.accountId,
    domain,
    sender: from,
    messageId,
    content: readContent(body, from, recipients, { messageId, date: now, headers: headers.passed }),
    tags,
    tracking,
    retention,
    schedule,
    sandbox,
    acceptedAt: now,
    recipients: sendable.map((recipient) => ({
      id: idOf.get(recipient) as string,
      email: recipient.address.address,
      name: recipient.name,
    })),
    results: recipients.distinct.map(({ address, name, given }, index) =>
      toSendResult({
        ...{ email: address.address, name, given, messageId },
        ...{ error: errors[index], schedule: body.schedule },
      }),
    ),
  };
}

function requireContent(body: ConversationBody): void {
  requireSubject(body.subject);
  if (!body.text_content && !body.html_content) {
    throw new ApiError(400, 'Either text_content or html_content is required');
  }
}

function readContent(
  body: ConversationBody,
  from: string,
  recipients: ConversationRecipients,
  about: Pick<MessageContent, 'messageId' | 'date' | 'headers'>,
): MessageContent {
  const replyTo = body.reply_to
    ? {
        email: requireAddress(body.reply_to.email, 'reply_to.email').address,
        ...nameOf(body.reply_to.name, 'reply_to.name'),
      }
    : undefined;
  const cc = headerMailboxes(recipients.cc);
  return {
    ...about,
    from: { email: from, ...nameOf(body.from.name, 'from.name') },
    to: headerMailboxes(recipients.to),
    ...(cc.length > 0 ? { cc } : {}),
    ...(replyTo ? { replyTo } : {}),
    subject: body.subject,
    text: body.text_content || undefined,
    html: body.html_content || undefined,
    amp: body.amp_content || undefined,
    ...(body.attachments?.length ? { attachments: body.attachments.map(attachmentAt) } : {}),
  };
}

function nameOf(name: string | null | undefined, field: string): { name?: string } {
  const text = requireOneLine(name ?? '', field).trim();
  return text === '' ? {} : { name: text };
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
