import { z } from 'zod';
import { SandboxResult } from '@postmesh/contracts';

// What a send may hold (spec 2-messages §1.1); lengths count characters. shared-fields.rules.ts checks these limits,
// with error texts of its own; here `meta` shows them in the API document.
export const MAX_TAGS = 10;
export const MAX_TAG_CHARACTERS = 64;
export const MAX_RETENTION_DAYS = 30;
/** As in templates (spec 2-messages §6). Events carry the subject, and no bus takes them at any size. */
export const MAX_SUBJECT_CHARACTERS = 998;

const optionalText = z.string().nullish();

const email = z.string().meta({ format: 'idn-email', description: 'Trimmed and lower-cased.' });
const time = optionalText.meta({ format: 'date-time' });
const days = (least: number) =>
  z.number().int().nullish().meta({ minimum: least, maximum: MAX_RETENTION_DAYS });
const tag = z.string().meta({ minLength: 1, maxLength: MAX_TAG_CHARACTERS });

const Sender = z.strictObject({ email, name: optionalText });
// `substitutions` is ignored in a conversation, but clients that share code send it (spec 2-messages §1.3)
const Recipient = z.strictObject({
  email,
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

const Schedule = z.strictObject({
  first_attempt: time.meta({ description: 'In the future, within 7 days.' }),
  expires: time.meta({ description: 'In the future, within 8 days.' }),
});

/** The fields that all sends share (spec 2-messages §1.1), in the order in which errors are reported. */
export const sharedFields = {
  reply_to: Sender.nullish(),
  attachments: z.array(Attachment).nullish(),
  headers: Headers.nullish(),
  tags: z
    .array(tag)
    .nullish()
    .meta({ description: `At most ${MAX_TAGS} that differ; each is kept once.` }),
  sandbox: z.boolean().nullish(),
  sandbox_result: SandboxResult.nullish(),
  tracking: z.strictObject({ open: z.boolean().nullish(), click: z.boolean().nullish() }).nullish(),
  retention: z
    .strictObject({ metadata: days(1), data: days(0) })
    .nullish()
    .meta({ description: 'Days for which the record and its content are kept.' }),
  schedule: Schedule.nullish(),
};

const recipients = z.array(Recipient).min(1).max(50);

/** `POST …/messages/conversation` (spec 2-messages §1.3). */
export const ConversationBody = z.strictObject({
  from: Sender,
  to: recipients,
  cc: recipients.nullish(),
  bcc: recipients.nullish(),
  subject: z.string().meta({ minLength: 1, maxLength: MAX_SUBJECT_CHARACTERS }),
  text_content: optionalText.meta({ description: 'Needed when there is no `html_content`.' }),
  html_content: optionalText.meta({ description: 'Needed when there is no `text_content`.' }),
  amp_content: optionalText,
  ...sharedFields,
});
export type ConversationBody = z.infer<typeof ConversationBody>;
export type ScheduleBody = z.infer<typeof Schedule>;
export type RecipientBody = z.infer<typeof Recipient>;
export type AttachmentBody = z.infer<typeof Attachment>;
