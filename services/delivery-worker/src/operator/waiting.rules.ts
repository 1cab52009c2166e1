import type { WaitCause } from '@postmesh/delivery-worker-contract';
import type { Settings } from '@postmesh/settings';
import type { GroupWait } from '../shaping/group-limits.port.js';
import { isOfDomain } from '../attempt/domain-standing.rules.js';
import { suspensionReason } from '../account-states/account-states.rules.js';
import { isUnknown } from '../mx/group-key.rules.js';
import { isOfWay } from '../attempt/way-reasons.rules.js';
import { isSlowDown } from '../shaping/slow-down.rules.js';
import { isOfBudget } from '../warm-up/budget-reasons.rules.js';

/** A delivery, with the attempts in flight at the moment. */
export interface DeliveryNow {
  id: string;
  state: 'ready' | 'waiting' | 'leased' | 'suspended' | 'canceled';
  /** the one in flight counts */
  attempts: number;
  destination: string;
  groupKey?: string | null | undefined;
  dueAt: Date;
  suspendedUntil: Date | null;
  leasedUntil: Date | null;
  expires: Date | null;
  /** the reason that the last step recorded */
  reason: string;
  accountState: string | null;
  /** attempts in flight: to the MX group, of the account, of all */
  groupInFlight: number;
  accountInFlight: number;
  inFlight: number;
  /** workers that live */
  workers: number;
  /** the provider or the domain under which people know the MX group */
  groupName: string;
  /** connections that all workers together may have to it */
  groupConnections: number;
  /** its MX group is suspended, or blocks its sender */
  groupWait?: GroupWait | undefined;
}

export interface Wait {
  cause: WaitCause | null;
  /** for people; null when it does not wait any more */
  reason: string | null;
  /** null: unknown */
  until: Date | null;
}

/** The limits of this worker, by its settings. */
export type WorkerLimits = Pick<Settings, 'delivery' | 'deliveryConcurrency'>;

/** Why a delivery waits now: every wait has a reason (architecture §1.3). */
export function waitOf(delivery: DeliveryNow, limits: WorkerLimits, now: Date): Wait {
  const { state, reason, dueAt } = delivery;
  switch (state) {
    case 'canceled':
      return { cause: null, reason: null, until: null };
    case 'suspended':
      return { cause: 'account', reason, until: delivery.suspendedUntil };
    case 'leased':
      return {
        ...{ cause: 'in_flight', reason: `attempt ${delivery.attempts} is in flight` },
        until: delivery.leasedUntil,
      };
    case 'ready':
    case 'waiting':
      if (delivery.groupWait !== undefined && delivery.groupWait.until > dueAt)
        return { cause: 'provider', ...delivery.groupWait };
      if (dueAt > now) return { ...ownTime(delivery), until: dueAt };
      return { ...whyNotYet(delivery, limits), until: null };
  }
}

const AT_INTAKE = 'waits for its first attempt';

/** Without an attempt, a delivery that is not due was scheduled, unless a step recorded a reason of its own. */
function ownTime({ attempts, reason }: DeliveryNow): Pick<Wait, 'cause' | 'reason'> {
  if (attempts === 0 && reason === AT_INTAKE) return { cause: 'scheduled', reason: 'its scheduled time' };
  return { cause: CAUSES.find(([isOf]) => isOf(reason))?.[1] ?? 'retry', reason };
}

/** The reasons of messages that were put back: no server was asked. */
const CAUSES: readonly (readonly [(reason: string) => boolean, WaitCause])[] = [
  [isOfDomain, 'domain'],
  [isOfBudget, 'warm_up'],
  [isSlowDown, 'provider'],
  [isOfWay, 'way'],
];

/** It is due, and no worker has claimed it: finds the limit that is reached. */
function whyNotYet(
  delivery: DeliveryNow,
  { delivery: isOn, deliveryConcurrency }: WorkerLimits,
): { cause: WaitCause; reason: string } {
  const { workers, groupInFlight, groupConnections, accountInFlight, inFlight } = delivery;
  const suspension = suspensionReason(delivery.accountState);
  const of = (cause: WaitCause, reason: string) => ({ cause, reason });
  if (suspension !== undefined) return of('account', suspension);
  if (workers === 0) return of('delivery_off', 'a delivery worker: none is running');
  if (!isOn) return of('delivery_off', 'deliveries to be on: POSTMESH_DELIVERY is off');
  if (isUnknown(delivery.groupKey ?? ''))
    return of('turn', `the look-up of the mail hosts of ${delivery.destination}`);
  if (groupInFlight > 0 && groupInFlight >= groupConnections) {
    const inUse = `${groupInFlight} attempts to ${delivery.groupName} are in flight`;
    return of('busy', `its mail hosts: ${inUse}, over at most ${groupConnections} connections`);
  }
  if (inFlight >= deliveryConcurrency) {
    const ofAccount = `${accountInFlight} of them of its account`;
    return of('busy', `a free worker: ${inFlight} attempts are in flight, ${ofAccount}`);
  }
  return of('turn', 'its turn: it is due');
}
