/** A call that is owed to a webhook, as it was requested. */
export interface NewCall {
  id: string;
  webhookId: string;
  accountId: string | null;
  trace: string | null;
  url: string;
  sealedSecret: string;
  webhookMessageId: string;
  eventType: string;
  body: string;
  dueAt: string;
}

/** A call that this dispatcher has taken, until its lease ends. */
export interface ClaimedCall {
  id: string;
  webhookId: string;
  accountId: string | null;
  trace: string | null;
  host: string;
  url: string;
  sealedSecret: string;
  webhookMessageId: string;
  eventType: string;
  body: string;
  /** the number of the attempt that is now to be made */
  attempt: number;
  /** fences: who took the call later has a higher one */
  lease: number;
}

export interface ClaimRequest {
  limit: number;
  /** free places of hosts that are being called now */
  rooms: readonly { host: string; room: number }[];
  /** free places of every other host */
  perHost: number;
}

/** Which calls are owed, and who is making them. */
export interface OwedCalls {
  /** Takes due calls: oldest first, no more per host than it has room for. */
  claim(request: ClaimRequest): Promise<ClaimedCall[]>;
  /** @returns milliseconds until the next call that nobody has taken is due; negative when it is; undefined: none */
  nextDueInMs(): Promise<number | undefined>;
}

export const OWED_CALLS = Symbol('OwedCalls');
