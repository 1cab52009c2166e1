import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { derivedId, SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { MessageChanged, type MessageChangedEvent } from '@postmesh/messages-contract';
import { changedRows, insertRows } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { campaignFacts } from '../accept/send-request.rules.js';
import { SuppressRecipients } from '../automatic-suppressions/suppress-recipients.js';
import {
  ATTEMPT_COLUMNS,
  reportedBounce,
  type EffectiveOutcome,
} from '../message-status/delivery-outcomes.rules.js';
import { ACCEPTING_STATUSES } from '../message-status/message-status.rules.js';
import { recordFacts } from '../statistics/record-facts.js';
import { complaintFact, outcomeFacts } from '../statistics/statistics-facts.rules.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import { PERMANENT } from '../suppressions/suppression.rules.js';
import type { ReportedMessage } from './reported-message.js';
import { RequestDsn } from './request-dsn.js';
import type { ReportVerdict } from './read/judge-report.rules.js';

export type ReportEffect =
  /** the message is now Bounced */
  | 'bounced'
  /** the message had bounced already, or ended otherwise */
  | 'no-change'
  /** the recipient of the message is suppressed */
  | 'complained';

type Bounce = Extract<ReportVerdict, { means: 'bounce' }>;

interface ReportedFact {
  readonly verdict: Exclude<ReportVerdict, { means: 'nothing' }>;
  readonly at: Date;
  /** whose feedback loop it came by; null: another way, or a bounce */
  readonly provider: string | null;
}

/** Applies the effect of a report to its message, in the transaction that stores the report. */
@Injectable()
export class RecordReport {
  constructor(
    private readonly suppressing: SuppressRecipients,
    private readonly suppressions: AddSuppressions,
    private readonly dsn: RequestDsn,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param tx has locked the message; suppression lists and the stream are written last, because their locks are
   * contended
   */
  async execute(
    tx: EntityManager,
    message: ReportedMessage,
    { verdict, at, provider }: ReportedFact,
  ): Promise<ReportEffect> {
    return verdict.means === 'bounce'
      ? this.bounce(tx, message, verdict, at)
      : this.complaint(tx, message, at, provider);
  }

  private async bounce(
    tx: EntityManager,
    message: ReportedMessage,
    bounce: Bounce,
    at: Date,
  ): Promise<ReportEffect> {
    const isChanged = await changedRows(tx, BECOME_BOUNCED, [
      message.id,
      bounce.verdict.class,
      at,
      ACCEPTING_STATUSES['bounced'],
    ]);
    if (isChanged === 0) return 'no-change';
    const entry = reportedBounce(message.id, at, {
      log:
        bounce.diagnostic || `a report said so: ${bounce.reply.enhancedStatusCode ?? bounce.reply.smtpCode}`,
      classification: bounce.verdict.class,
      replyRule: bounce.verdict.rule,
      remoteHost: bounce.remoteMta ?? null,
    });
    await insertRows(tx, 'delivery_attempts', ATTEMPT_COLUMNS, [entry], { onConflict: 'do nothing' });
    const outcome = outcomeOf(message, bounce, at);
    await recordFacts(tx, outcomeFacts([outcome]));
    await this.dsn.request(tx, [outcome]);
    await this.suppressing.execute(tx, [outcome]);
    await this.outbox.add(tx, [bounced(message, bounce, at)]);
    return 'bounced';
  }

  /** The recipient's own decision, valid until it is revoked (spec 1-platform §14.3 rule 3). */
  private async complaint(
    tx: EntityManager,
    message: ReportedMessage,
    at: Date,
    provider: string | null,
  ): Promise<ReportEffect> {
    const { accountId, domain, recipient } = message;
    if (accountId === SYSTEM_ACCOUNT_ID) return 'no-change';
    await recordFacts(tx, complaintFact(message, at, provider));
    await this.suppressions.execute(tx, [
      {
        ...{ accountId, domain, email: recipient.toLowerCase(), messageId: message.id },
        reason: 'FBL Complaint Report',
        protected: true,
        source: 'recipient',
        createdAt: at,
        expiresAt: PERMANENT,
      },
    ]);
    await this.outbox.add(tx, [complained(message, at)]);
    return 'complained';
  }
}

/** The same outcome as after an immediate reply of the server. */
function outcomeOf(
  message: ReportedMessage,
  { reply, verdict, remoteMta }: Bounce,
  at: Date,
): EffectiveOutcome {
  return {
    accountId: message.accountId,
    before: message.status,
    templateId: message.templateId,
    data: {
      message_id: message.id,
      ...campaignFacts(message),
      domain: message.domain,
      recipient: message.recipient,
      outcome: 'bounced',
      sandbox: false,
      finished_at: at.toISOString(),
      first_attempt_at: message.sentAt?.toISOString() ?? null,
      tags: message.tags,
      remote_host: remoteMta ?? null,
      reply: {
        smtp_code: reply.smtpCode,
        ...(reply.enhancedStatusCode ? { enhanced_status_code: reply.enhancedStatusCode } : {}),
        ...(reply.response ? { response: reply.response } : {}),
        classification: verdict.class,
        kind: verdict.kind,
        rule: verdict.rule,
      },
    },
  };
}

/** The first bounce of a message; a further report changes nothing and is not published. */
const bounced = (message: ReportedMessage, { verdict }: Bounce, at: Date): MessageChangedEvent =>
  changed(message, at, { change: 'bounced', reply: null, classification: verdict.class });

/** Several reports about one message have the same event. */
const complained = (message: ReportedMessage, at: Date): MessageChangedEvent => ({
  ...changed(message, at, { change: 'complained' }),
  id: derivedId('complaint', message.id),
});

function changed(
  message: ReportedMessage,
  at: Date,
  what: Pick<MessageChangedEvent['data'], 'change' | 'reply' | 'classification'>,
): MessageChangedEvent {
  return MessageChanged.make(
    {
      ...what,
      changed_at: at.toISOString(),
      message_id: message.id,
      send_request_id: message.sendRequestId,
      ...campaignFacts(message),
      domain: message.domain,
      sender: message.sender,
      recipient: message.recipient,
      subject: message.subject,
      message_id_header: message.messageIdHeader,
      sandbox: message.sandbox !== null,
    },
    { account_id: message.accountId, occurred_at: at },
  );
}

const BECOME_BOUNCED = `
  update messages set status = 'Bounced', bounce_classification = $2, updated_at = greatest(updated_at, $3)
  where id = $1 and status = any($4::text[]) returning id`;
