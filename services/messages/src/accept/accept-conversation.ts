import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Principal } from '@postmesh/contracts';
import type { EndedRun } from '@postmesh/idempotency';
import { isMessageWithin, UnsafeMessage, type MessageContent } from '@postmesh/mail-format';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DomainDirectory } from '../domain-changes/domain-directory.js';
import { RecipientShields } from '../recipient-shields/recipient-shields.js';
import { readConversation, readRecipients, type AcceptedConversation } from './conversation.rules.js';
import type { ConversationBody } from './conversation.schema.js';
import { SendRequestWriter } from './send-request-store.js';
import { toSendRequest, type AcceptedRequest } from './send-request.rules.js';
import { requireMaySend, requireSender, requireSendingDomain } from './sending-domain.rules.js';
import { sortHeaders, type SortedRequestHeaders } from './shared-fields.rules.js';

export interface AcceptConversationCommand {
  /** who sends: the account with its facts, and the scopes of the key */
  principal: Principal;
  input: ConversationBody;
}

/**
 * Accepts a conversation (spec 2-messages §1.3): every check, then one commit with content, rows, usage, the
 * stored response and the event. Who gets the result may rely on the message.
 */
@Injectable()
export class AcceptConversation {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly shields: RecipientShields,
    private readonly writer: SendRequestWriter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param remember only its `ended` is called: many requests share one transaction
   * @throws ApiError 400 or 403, in the order of spec 2-messages §1.2
   */
  async execute(
    { principal, input }: AcceptConversationCommand,
    remember: Remember<AcceptedConversation> = forgetResult,
  ): Promise<AcceptedConversation> {
    const from = requireSender(input.from.email);
    const recipients = readRecipients(input);
    const headers = this.sortHeaders(input);
    const facts = await this.domains.find(principal.account_id, from.domain);
    const domain = requireSendingDomain(principal, from.domain, facts);
    const shield = await this.shields.of(principal.account);
    const now = new Date();
    const { request, accepted } = readConversation(
      { principal, input, sender: from.address, recipients, headers, domain, shield },
      now,
    );
    requireMaySend(principal, domain, request.sandbox !== null);
    this.requireSize(request.content);
    // every recipient may have an error: then there is nothing to send, and the response says why
    if (request.recipients.length > 0) {
      await this.store(request, principal, () => remember.ended?.(accepted));
    }
    return accepted;
  }

  private sortHeaders(input: ConversationBody): SortedRequestHeaders {
    return sortHeaders(input.headers, {
      controlPrefix: this.settings.controlHeaderPrefix,
      hasReplyTo: input.reply_to !== null && input.reply_to !== undefined,
      hasCc: input.cc !== null && input.cc !== undefined,
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

  /** A sandbox send costs no credit (spec 1-platform §10.4 rule 6). */
  private store(
    request: AcceptedRequest,
    principal: Principal,
    ended: () => EndedRun | undefined,
  ): Promise<void> {
    const credit = request.sandbox === null ? principal.account : null;
    return this.writer.write({ sendRequest: toSendRequest(request), credit, ended });
  }
}
