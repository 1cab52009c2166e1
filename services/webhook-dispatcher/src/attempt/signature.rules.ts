import { createHmac } from 'node:crypto';

export interface SignedCall {
  /** the same on every retry */
  messageId: string;
  /** of this attempt */
  at: Date;
  body: Buffer;
  /** the whole secret string: its literal UTF-8 bytes are the key, prefix included (spec 2-messages §18.3) */
  secret: string;
}

/** The headers of one attempt (spec 2-messages §18.1-3): computed at each attempt, since they sign its time. */
export function signedHeaders({ messageId, at, body, secret }: SignedCall): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const mac = createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update(`${messageId}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  };
}
