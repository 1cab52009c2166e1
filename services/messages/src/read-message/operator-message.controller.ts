import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { AccountId, ApiErrors } from '@postmesh/contracts';
import { Internal, query } from '@postmesh/service-host';
import { MessagesToAddress } from '../list-messages/messages-to-address.js';
import { shownStatus } from '../message-status/message-status.rules.js';
import { readMessageReference } from './message-id.rules.js';
import { timelineOf, type Wait } from './message-timeline.rules.js';
import { MessagesRepository, type StoredFetch, type StoredMessage } from './messages.repository.js';
import { WaitingDeliveries } from './waiting-deliveries.js';

const AddressQuery = z.object({ recipient: z.string(), account: AccountId.optional() });
type AddressQuery = z.infer<typeof AddressQuery>;

/** One message with all its attempts and the reason of its wait, for operators (architecture §5.4). */
@Internal()
@Controller('operator/messages')
export class OperatorMessageController {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly waiting: WaitingDeliveries,
    private readonly toAddress: MessagesToAddress,
  ) {}

  /** The newest messages to an address, of any account or one. */
  @Get()
  async find(@Query(query(AddressQuery)) { recipient, account }: AddressQuery): Promise<object> {
    const now = new Date();
    const found = await this.toAddress.find(recipient, account);
    return {
      data: found.map((message) => ({
        id: message.id,
        account_id: message.accountId,
        created_at: message.createdAt,
        status: shownStatus(message.status, message.firstAttempt, now),
        sender: message.sender,
        recipient: message.recipient,
        subject: message.subject,
        message_id: message.messageIdHeader,
      })),
    };
  }

  /**
   * @param reference id or Message-ID; of any account, and also after its retention until it is purged. Of
   * several messages with one Message-ID the first is returned whole, the others as ids
   */
  @Get(':message_id')
  async read(@Param('message_id') reference: string): Promise<object> {
    const parsed = readMessageReference(reference);
    if (!parsed) throw ApiErrors.invalidParameter('message_id');
    const [message, ...others] = await this.messages.findReferred(null, parsed);
    if (!message) throw ApiErrors.notFound('message');
    const now = new Date();
    const wait = await this.waiting.waitOf(message, now);
    const fetches = await this.messages.findFetches(message.id);
    return operatorView(message, { wait, others, fetches, now });
  }
}

interface Seen {
  wait: Wait;
  fetches: readonly StoredFetch[];
  others: readonly StoredMessage[];
  now: Date;
}

function operatorView(message: StoredMessage, { wait, others, fetches, now }: Seen): object {
  return {
    id: message.id,
    account_id: message.accountId,
    status: shownStatus(message.status, message.firstAttempt, now),
    waiting_for: wait.reason,
    waiting_until: wait.until,
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
    template_id: message.templateId,
    size: message.size,
    sandbox: message.sandbox,
    first_attempt: message.firstAttempt,
    expires: message.expires,
    content_kept: message.contentId !== null,
    retain_data_until: message.retainDataUntil,
    retain_metadata_until: message.retainMetadataUntil,
    timeline: timelineOf(message, { wait, fetches, now }),
    others_with_this_message_id: others.map(({ id, recipient, status }) => ({ id, recipient, status })),
  };
}
