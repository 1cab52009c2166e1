// An outcome that comes before its reception comes soon after it; later ones need no looking back.
export const LOOK_BACK_MS = 6 * 3_600_000;

/** When a message was stored: its id is a UUIDv7, made at that moment. undefined for another kind of id. */
export function acceptedAt(messageId: string): Date | undefined {
  const hex = messageId.replaceAll('-', '');
  return hex[12] === '7' ? new Date(Number.parseInt(hex.slice(0, 12), 16)) : undefined;
}

/**
 * Whether an outcome may have overtaken the reception of its message for this webhook: the message is young, and
 * the webhook was set up like this when it was stored (otherwise its reception was none of the webhook's business).
 */
export function mayHaveOvertaken(webhookChangedAt: Date, messageAcceptedAt: Date, now: Date): boolean {
  const age = now.getTime() - messageAcceptedAt.getTime();
  return age < LOOK_BACK_MS && webhookChangedAt <= messageAcceptedAt;
}
