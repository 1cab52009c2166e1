import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * The service itself sends mail: an invitation, a notice. The text is in the blob store, because every service reads
 * and retains this stream.
 */
export const SystemMailRequested = defineEvent({
  type: 'system-mail-requested',
  version: 1,
  stream: 'accounts',
  data: z.object({
    /** id of the message; a repeated event does not send it again */
    mail_id: z.string(),
    /** the account that the mail concerns */
    account_id: z.string(),
    /** `invitation`, `ip-allow-list-changed`, …: for logs and counts */
    kind: z.string(),
    /** each recipient gets a message of their own */
    recipients: z
      .array(z.object({ email: z.string(), name: z.string() }))
      .min(1)
      .max(100),
    /** id of a `SystemMailContent` in the blob store, for this event alone: the sending service deletes it */
    content_id: z.uuid(),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      mail_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a0f',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      kind: 'invitation',
      recipients: [{ email: 'ann@mail.test', name: 'Ann' }],
      content_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a10',
    },
  ],
});

/** The content of a system mail, stored as JSON. */
export const SystemMailContent = z.object({ subject: z.string(), text: z.string(), html: z.string() });
export type SystemMailContent = z.infer<typeof SystemMailContent>;
