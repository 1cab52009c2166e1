import { z } from 'zod';
import { SandboxResult } from '@postmesh/contracts';

const optionalText = z.string().nullish();

const Sender = z.strictObject({ email: z.string(), name: optionalText });
// `substitutions` is ignored in a conversation, but clients that share code send it (spec 2-messages §1.3)
const Recipient = z.strictObject({
  email: z.string(),
  name: optionalText,
  substitutions: z.record(z.string(), z.unknown()).nullish(),
});

const Attachment = z.strictObject({
  data: z.string(),
  base64: z.boolean().nullish(),
  content_type: z.string().min(1),
  file_name: z.string().min(1),
  content_disposition: z.enum(['attachment', 'inline']).nullish(),
  content_id: optionalText,
});

const Headers = z.union([
  z.record(z.string(), z.string()),
  z.array(z.strictObject({ name: z.string(), value: z.string() })),
]);

const Schedule = z.strictObject({ first_attempt: optionalText, expires: optionalText });

/** The fields that all sends share (spec 2-messages §1.1), in the order in which errors are told. */
export const sharedFields = {
  reply_to: Sender.nullish(),
  attachments: z.array(Attachment).nullish(),
  headers: Headers.nullish(),
  tags: z.array(z.string()).nullish(),
  sandbox: z.boolean().nullish(),
  sandbox_result: SandboxResult.nullish(),
  tracking: z.strictObject({ open: z.boolean().nullish(), click: z.boolean().nullish() }).nullish(),
  retention: z
    .strictObject({ metadata: z.number().int().nullish(), data: z.number().int().nullish() })
    .nullish(),
  schedule: Schedule.nullish(),
};

const recipients = z.array(Recipient).min(1).max(50);

/** `POST …/messages/conversation` (spec 2-messages §1.3). */
export const ConversationBody = z.strictObject({
  from: Sender,
  to: recipients,
  cc: recipients.nullish(),
  bcc: recipients.nullish(),
  subject: z.string(),
  text_content: optionalText,
  html_content: optionalText,
  amp_content: optionalText,
  ...sharedFields,
});
export type ConversationBody = z.infer<typeof ConversationBody>;
export type ScheduleBody = z.infer<typeof Schedule>;
export type RecipientBody = z.infer<typeof Recipient>;
export type AttachmentBody = z.infer<typeof Attachment>;
