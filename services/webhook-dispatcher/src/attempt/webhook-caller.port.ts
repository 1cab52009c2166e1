import type { OutgoingResponse } from '@postmesh/outgoing-http';

/** Brings one signed body to a customer's URL. */
export interface WebhookCaller {
  /** Never throws for what the other side does or fails to do. */
  call(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutgoingResponse>;
  /** Ends what is under way as failed. */
  close(): Promise<void>;
}

export const WEBHOOK_CALLER = Symbol('WebhookCaller');
