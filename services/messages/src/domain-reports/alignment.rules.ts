/** Reported messages of one day. */
export interface DayOfAlignment {
  /** `2026-03-01` */
  readonly day: string;
  readonly messages: number;
  readonly aligned: number;
}

/** The stored state of a domain, or of its mail from our addresses. */
export interface AlignmentState {
  /** aligned share before the fall, 0 to 1; null: it has not fallen */
  readonly usual: number | null;
}

export interface AlignmentJudgement extends AlignmentState {
  /** of the last days; null: too few messages to say */
  readonly share: number | null;
  readonly change: 'fallen' | 'recovered' | null;
}

/** A receiver reports a day at its end: two days have every receiver once. */
export const RECENT_DAYS = 2;
export const USUAL_DAYS = 14;
/** Fewer say nothing: one forwarded message would be a fall. */
const MIN_MESSAGES = 20;
/** Falls of a share, 0 to 1. */
const FALL = 0.05;
const RECOVERY = 0.02;
/** The usual share of a domain without a past. */
const EXPECTED = 0.95;

/**
 * Whether the aligned share of the last reported days has fallen below that of the two weeks before. It stays fallen until the
 * share is as before, not until the bad days are the usual ones.
 * @param days with reports, in any order
 */
export function judgeAlignment(days: readonly DayOfAlignment[], before: AlignmentState): AlignmentJudgement {
  const sorted = days.toSorted((one, other) => other.day.localeCompare(one.day));
  const share = shareOf(sorted.slice(0, RECENT_DAYS));
  if (share === null) return { ...before, share, change: null };
  if (before.usual !== null) {
    const isBack = share >= before.usual - RECOVERY;
    return { usual: isBack ? null : before.usual, share, change: isBack ? 'recovered' : null };
  }
  const usual = shareOf(sorted.slice(RECENT_DAYS, RECENT_DAYS + USUAL_DAYS)) ?? EXPECTED;
  const isFallen = share < usual - FALL;
  return { usual: isFallen ? usual : null, share, change: isFallen ? 'fallen' : null };
}

function shareOf(days: readonly DayOfAlignment[]): number | null {
  const messages = days.reduce((sum, day) => sum + day.messages, 0);
  const aligned = days.reduce((sum, day) => sum + day.aligned, 0);
  return messages < MIN_MESSAGES ? null : aligned / messages;
}
