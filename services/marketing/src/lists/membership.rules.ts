/** Spec 3-marketing §2.2. */
export const SUBSCRIPTION_STATUSES = ['unconfirmed', 'confirmed', 'unsubscribed', 'complained'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** The statuses that an account can set: only a recipient can complain. */
export const WRITABLE_STATUSES = ['confirmed', 'unconfirmed', 'unsubscribed'] as const;
export type WritableStatus = (typeof WRITABLE_STATUSES)[number];

export interface MembershipState {
  subscription_status: SubscriptionStatus;
  subscribed_at: Date | null;
  unsubscribed_at: Date | null;
}

/** A new membership: confirmed unless a status is given. */
export function newMembership(status: WritableStatus | undefined, now: Date): MembershipState {
  return enter(
    { subscription_status: 'unconfirmed', subscribed_at: null, unsubscribed_at: null },
    status ?? 'confirmed',
    now,
  );
}

/**
 * Spec 3-marketing §2.4.
 * @returns undefined when nothing changes: no status, or the present one
 * @throws RangeError for a complained one, which is frozen: check `isFrozen` first
 */
export function changeMembership(
  held: MembershipState,
  status: WritableStatus | undefined,
  now: Date,
): MembershipState | undefined {
  if (isFrozen(held)) throw new RangeError('a complained membership does not change');
  return status === undefined || status === held.subscription_status ? undefined : enter(held, status, now);
}

export const isFrozen = ({ subscription_status }: MembershipState): boolean =>
  subscription_status === 'complained';

function enter(held: MembershipState, status: WritableStatus, now: Date): MembershipState {
  switch (status) {
    case 'confirmed':
      return { subscription_status: status, subscribed_at: now, unsubscribed_at: null };
    case 'unsubscribed':
      return { ...held, subscription_status: status, unsubscribed_at: now };
    case 'unconfirmed':
      return { ...held, subscription_status: status };
  }
}
