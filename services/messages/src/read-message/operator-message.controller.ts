import { Controller, Get, Param } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { shownStatus } from '../message-status/message-status.rules.js';
import { readMessageReference } from './message-id.rules.js';
import { MessagesRepository, type StoredMessage } from './messages.repository.js';

/** One message with all its attempts, for operators (architecture §5.4). */
@Internal()
@Controller('operator/messages')
export class OperatorMessageController {
  constructor(private readonly messages: MessagesRepository) {}

  /** @param reference id or Message-ID; of any account, and also when its retention is over but it is not purged yet */
  @Get(':message_id')
  async read(@Param('message_id') reference: string): Promise<object> {
    const parsed = readMessageReference(reference);
    if (!parsed) throw ApiErrors.invalidParameter('message_id');
    const message = await this.messages.find(parsed.id);
    if (!message) throw ApiErrors.notFound('message');
    return operatorView(message, new Date());
  }
}

function operatorView(message: StoredMessage, now: Date): object {
  const { reason, until } = waitingFor(message, now);
  return {
    id: message.id,
    account_id: message.accountId,
    status: shownStatus(message.status, message.firstAttempt, now),
    waiting_for: reason,
    waiting_until: until,
    sender: message.sender,
    recipient: message.recipient,
    subject: message.subject,
    message_id: message.messageIdHeader,
    created_at: message.createdAt,
    sent_at: message.sentAt,
    delivered_at: message.deliveredAt,
    updated_at: message.updatedAt,
    num_attempts: message.numAttempts,
    bounce_classification: message.bounceClassification || null,
    open_count: message.openCount,
    click_count: message.clickCount,
    send_request_id: message.sendRequestId,
    kind: message.kind,
    domain_id: message.domainId,
    domain: message.domain,
    tags: message.tags,
    size: message.size,
    sandbox: message.sandbox,
    first_attempt: message.firstAttempt,
    expires: message.expires,
    content_kept: message.contentId !== null,
    retain_data_until: message.retainDataUntil,
    retain_metadata_until: message.retainMetadataUntil,
    attempts: message.attempts.map((attempt) => ({
      started_at: attempt.startedAt,
      finished_at: attempt.finishedAt,
      status: attempt.status,
      host: attempt.remoteHost,
      tls: attempt.tls,
      reply: attempt.log,
      classification: attempt.classification || null,
      next_attempt_at: attempt.nextAttemptAt,
    })),
  };
}

/** As far as the events tell; `npx postmesh queue` knows of pauses, suspensions and limits besides. */
function waitingFor(
  { status, firstAttempt, attempts }: StoredMessage,
  now: Date,
): { reason: string | null; until: string | Date | null } {
  const last = attempts.at(-1);
  switch (shownStatus(status, firstAttempt, now)) {
    case 'Scheduled':
      return { reason: 'its scheduled time', until: firstAttempt };
    case 'Received':
      return { reason: 'its first attempt', until: null };
    case 'Deferred':
      return { reason: last?.log || 'its next attempt', until: last?.nextAttemptAt ?? null };
    default:
      return { reason: null, until: null };
  }
}
