import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, domainScopes, hasDomainScope, type Principal } from '@postmesh/contracts';
import { readMessageReference } from '../read-message/message-id.rules.js';
import { MessagesRepository, type StoredMessage } from '../read-message/messages.repository.js';
import { Cancellations } from './cancellations.js';

export interface CancelMessageCommand {
  principal: Principal;
  /** id or Message-ID, as in the request */
  reference: string;
}

/** `DELETE …/messages/{message_id}/cancel` (spec 2-messages §2.3). */
@Injectable()
export class CancelMessage {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly cancellations: Cancellations,
  ) {}

  /**
   * Resolves when at least one message was canceled.
   * @throws ApiError 400, 403 or 404; Transient when the outcome is unknown: the message may be canceled later
   */
  async execute({ principal, reference }: CancelMessageCommand): Promise<void> {
    const parsed = readMessageReference(reference);
    if (!parsed) throw ApiErrors.invalidParameter('message_id');
    const now = new Date();
    const referred = await this.messages.findReferred(principal.account_id, parsed);
    // a campaign is stopped as a whole, by its own operations
    const kept = referred.filter(
      ({ retainMetadataUntil, campaignId }) => retainMetadataUntil > now && campaignId === null,
    );
    if (kept.length === 0) throw ApiErrors.notFound('message');
    const own = kept.filter(({ domain }) => hasDomainScope(principal, 'messages:cancel', domain));
    if (own.length === 0) throw ApiErrors.missingScope(domainScopes('messages:cancel'));
    const waiting = own.filter(mayBeCanceled);
    const canceled = waiting.length === 0 ? 0 : await this.cancellations.cancel(waiting);
    if (canceled === 0) throw new ApiError(400, 'message cannot be cancelled');
  }
}

/** By the state in this service; the delivery worker decides. */
const mayBeCanceled = ({ status, numAttempts }: StoredMessage): boolean =>
  (status === 'Received' || status === 'Scheduled') && numAttempts === 0;
