import type { EntityManager } from 'typeorm';
import type { BounceReported, DeliveryAttempted, EventOf, MessageTracked } from '@postmesh/contracts';
import { receptionBefore, type PublicEvent } from '../webhook-events/event-payloads.rules.js';
import type { MatchedEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { acceptedAt, mayHaveOvertaken } from './published-receptions.js';
import type { PublishedReceptions, Reception } from './published-receptions.js';

/** What happens to a message after its reception. */
type Later = EventOf<typeof DeliveryAttempted | typeof MessageTracked | typeof BounceReported>['data'];

/** A call that is due behind the reception of its message. */
export interface LaterCall {
  call: PlannedCall;
  /** set where it may have come before the reception: that is then told first */
  before?: { reception: Reception; call: PlannedCall };
}

/** Events come in streams of their own; of one message the reception is told first (spec 2-messages §18 rule 10). */
export function laterCall(matched: MatchedEvent<Later>, listener: Listener, event: PublicEvent): LaterCall {
  return {
    call: { listener, event, trace: matched.trace },
    before: overtakenReception(matched, listener),
  };
}

function overtakenReception(
  { account_id, trace, data }: MatchedEvent<Later>,
  listener: Listener,
): LaterCall['before'] {
  const accepted = acceptedAt(data.message_id);
  if (!accepted || !wants(listener, 'on_reception', data.domain)) return undefined;
  if (!mayHaveOvertaken(listener.updated_at, accepted, new Date())) return undefined;
  return {
    reception: { messageId: data.message_id, webhookId: listener.id },
    call: { listener, event: receptionBefore(account_id, data, accepted.toISOString()), trace },
  };
}

/** @returns the calls, each behind the reception that nobody has told yet */
export async function withReceptions(
  tx: EntityManager,
  receptions: PublishedReceptions,
  planned: readonly LaterCall[],
): Promise<PlannedCall[]> {
  const isNew = await receptions.claim(
    tx,
    planned.flatMap(({ before }) => before?.reception ?? []),
  );
  return planned.flatMap(({ call, before }) =>
    before && isNew(before.reception) ? [before.call, call] : [call],
  );
}
