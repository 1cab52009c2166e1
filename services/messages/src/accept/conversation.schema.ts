import { z } from 'zod';
import { SandboxResult } from '@postmesh/contracts';
import { MAX_RETENTION_DAYS, MAX_SUBJECT_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from './limits.js';

const optionalText = z.string().nullish();

// The limits that `meta` tells here are held in shared-fields.rules.ts, which names them in words of its own.
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

/** The fields that all sends share (spec 2-messages §1.1), in the order in which errors are told. */
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
