import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/**
 * The service itself has something to tell people by mail: an invitation, a notice. What the mail says is in the
 * blob store, so that no body lies on a stream that every service reads and keeps.
 */
export const SystemMailRequested = defineEvent({
  type: 'system-mail-requested',
  version: 1,
  stream: 'accounts',
  data: z.object({
    /** names the message; asked for twice it is sent once */
    mail_id: z.string(),
    /** the account that it is about */
    account_id: z.string(),
    /** `invitation`, `ip-allow-list-changed`, …: for logs and counts */
    kind: z.string(),
    /** each gets a message of their own */
    recipients: z
      .array(z.object({ email: z.string(), name: z.string() }))
      .min(1)
      .max(100),
    /** of a `SystemMailContent` in the blob store, for this event alone: whoever sends the mail deletes it */
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

/** What a system mail says, stored as JSON. */
export const SystemMailContent = z.object({ subject: z.string(), text: z.string(), html: z.string() });
export type SystemMailContent = z.infer<typeof SystemMailContent>;
