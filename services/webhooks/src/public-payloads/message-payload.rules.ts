import type { DeliveryAttempted, DeliveryOutcome, MessageAccepted, RemoteAnswer } from '@postmesh/contracts';
import type { EventFlag, PublicEvent } from './public-event.rules.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];
type Attempted = ReturnType<typeof DeliveryAttempted.make>['data'];

interface Letter {
  accountId: string;
  messageId: string;
  sender: string;
  recipient: string;
  subject: string;
  messageIdHeader: string;
}

const FLAG_OF_OUTCOME = {
  delivered: 'on_delivered',
  deferred: 'on_transient_error',
  bounced: 'on_bounced',
  failed: 'on_failed',
  suppressed: 'on_suppressed',
} as const satisfies Record<DeliveryOutcome, EventFlag>;

// A window that ran out and a recipient that was not tried have no attempt to show (spec 2-messages §19.1).
const WITH_ATTEMPT: ReadonlySet<DeliveryOutcome> = new Set(['delivered', 'deferred', 'bounced']);

/** `message.reception` of one recipient: stored and queued. */
export function receptionOf(
  accountId: string,
  accepted: Accepted,
  recipient: Accepted['recipients'][number],
): PublicEvent {
  const letter = {
    accountId,
    messageId: recipient.id,
    sender: accepted.sender,
    recipient: recipient.email,
    subject: accepted.subject,
    messageIdHeader: accepted.message_id_header,
  };
  return messageEvent(letter, {
    flag: 'on_reception',
    domain: accepted.domain,
    happenedAt: accepted.accepted_at,
  });
}

/** The reception of a message that is known by its outcome only. @param acceptedAt when it was stored */
export function receptionBefore(accountId: string, attempted: Attempted, acceptedAt: string): PublicEvent {
  return messageEvent(letterOf(accountId, attempted), {
    flag: 'on_reception',
    domain: attempted.domain,
    happenedAt: acceptedAt,
  });
}

/** What became of one recipient after one step of delivery. */
export function outcomeOf(accountId: string, attempted: Attempted): PublicEvent {
  const { outcome, answer } = attempted;
  const attempt = WITH_ATTEMPT.has(outcome) ? attemptOf(answer, outcome !== 'delivered') : undefined;
  return messageEvent(
    letterOf(accountId, attempted),
    { flag: FLAG_OF_OUTCOME[outcome], domain: attempted.domain, happenedAt: attempted.finished_at },
    attempt,
  );
}

export const flagOfOutcome = (outcome: DeliveryOutcome): EventFlag => FLAG_OF_OUTCOME[outcome];

function letterOf(accountId: string, attempted: Attempted): Letter {
  return {
    accountId,
    messageId: attempted.message_id,
    sender: attempted.sender,
    recipient: attempted.recipient,
    subject: attempted.subject,
    messageIdHeader: attempted.message_id_header,
  };
}

function messageEvent(
  letter: Letter,
  happened: Pick<PublicEvent, 'flag' | 'domain' | 'happenedAt'>,
  attempt?: Record<string, unknown>,
): PublicEvent {
  const data = {
    account_id: letter.accountId,
    event: happened.flag,
    from: letter.sender,
    recipient: letter.recipient,
    subject: letter.subject,
    message_id_header: letter.messageIdHeader,
    id: letter.messageId.replaceAll('-', ''),
    is_bot: false,
    ...(attempt ? { delivery_attempt: attempt } : {}),
  };
  return { ...happened, accountId: letter.accountId, data };
}

/** An attempt with neither code nor text is not shown at all; empty texts are left out. */
function attemptOf(answer: RemoteAnswer | null, failed: boolean): Record<string, unknown> | undefined {
  if (answer === null || (answer.smtp_code === 0 && !answer.response)) return undefined;
  return {
    ...(failed && answer.classification ? { classification: answer.classification } : {}),
    smtp_code: answer.smtp_code,
    ...(answer.enhanced_status_code ? { enhanced_status_code: answer.enhanced_status_code } : {}),
    ...(answer.response ? { response: answer.response } : {}),
    ...(answer.command ? { command: answer.command } : {}),
  };
}
