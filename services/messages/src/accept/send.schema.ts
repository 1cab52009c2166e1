import { z } from 'zod';
import { openObject, SandboxResult, Uuid } from '@postmesh/contracts';
import { SUBSTITUTION_RULES, Substitutions } from '@postmesh/messages-contract';

// The fields of a send (spec 2-messages §1.1); lengths count characters. Checks beyond the form (counts, ranges,
// addresses) are made later, in the order of spec 2-messages §1.2 and §1.4; here `meta` shows them in the API document.
export const MAX_TAGS = 10;
export const MAX_TAG_CHARACTERS = 64;
export const MAX_RETENTION_DAYS = 30;
/** As in templates (spec 2-messages §6). Events carry the subject, and an event has a maximum size. */
export const MAX_SUBJECT_CHARACTERS = 998;
/** of regular and template sends */
export const MAX_RECIPIENTS = 100;
/** of to, cc and bcc together (spec 2-messages §1.3 rule 1) */
export const MAX_CONVERSATION_RECIPIENTS = 50;

const optionalText = z.string().nullish();

const email = z.string().meta({ format: 'idn-email', description: 'Trimmed and lower-cased.' });
const time = z.string().meta({ format: 'date-time' }).nullish();
const days = (least: number) =>
  z.number().int().nullish().meta({ minimum: least, maximum: MAX_RETENTION_DAYS });
const tag = z.string().meta({ minLength: 1, maxLength: MAX_TAG_CHARACTERS });
const subject = z.string().meta({ minLength: 1, maxLength: MAX_SUBJECT_CHARACTERS });

const Address = z.strictObject({ email, name: optionalText });
const Recipient = z.strictObject({
  email,
  name: optionalText,
  // ignored in a conversation, but clients that share code send it (spec 2-messages §1.3 rule 2)
  substitutions: Substitutions.nullish().meta({ description: 'Values of variables: any JSON.' }),
});

const Attachment = z.strictObject({
  data: z.string(),
  base64: z.boolean().nullish(),
  content_type: z.string().min(1),
  file_name: z.string().min(1),
  content_disposition: optionalText.meta({
    description:
      '`inline` or `attachment`. Empty or left out: inline when there is a `content_id`. Anything else is an attachment.',
  }),
  content_id: optionalText.meta({ description: '`<…>`; the HTML refers to it as `cid:…`.' }),
});

const Headers = z.union([
  openObject(z.string()),
  z.array(z.strictObject({ name: z.string(), value: z.string() })),
]);

const Schedule = z.strictObject({
  first_attempt: time.meta({ description: 'In the future, within 7 days.' }),
  expires: time.meta({ description: 'In the future, within 8 days.' }),
});

/** The fields that all sends share, in the order in which errors are reported. */
const sharedFields = {
  attachments: z.array(Attachment).nullish(),
  headers: Headers.nullish(),
  tags: z
    .array(tag)
    .nullish()
    .meta({ description: `At most ${MAX_TAGS} that differ; each is kept once.` }),
  sandbox: z.boolean().nullish(),
  sandbox_result: z.string().meta({ enum: SandboxResult.options }).nullish(),
  tracking: z.strictObject({ open: z.boolean().nullish(), click: z.boolean().nullish() }).nullish(),
  retention: z
    .strictObject({ metadata: days(1), data: days(0) })
    .nullish()
    .meta({ description: 'Days for which the record and its content are kept.' }),
  schedule: Schedule.nullish(),
};

const contentFields = {
  text_content: optionalText.meta({ description: 'Needed when there is no `html_content`.' }),
  html_content: optionalText.meta({ description: 'Needed when there is no `text_content`.' }),
  amp_content: optionalText,
};

const listOfUpTo = (most: number) => z.array(Recipient).meta({ minItems: 1, maxItems: most });
const conversationList = listOfUpTo(MAX_CONVERSATION_RECIPIENTS);

/** `POST …/messages/conversation` (spec 2-messages §1.3). */
export const ConversationBody = z.strictObject({
  from: Address,
  to: conversationList,
  cc: conversationList.nullish(),
  bcc: conversationList.nullish(),
  subject,
  ...contentFields,
  reply_to: Address.nullish(),
  ...sharedFields,
});
export type ConversationBody = z.infer<typeof ConversationBody>;

/** `POST …/messages` (spec 2-messages §1.2). */
export const RegularBody = z.strictObject({
  from: Address,
  recipients: listOfUpTo(MAX_RECIPIENTS),
  subject,
  ...contentFields,
  substitutions: Substitutions.nullish().meta({
    description: 'Values for all recipients. A value of the same name of a recipient wins.',
  }),
  reply_to: Address.nullish(),
  ...sharedFields,
});
export type RegularBody = z.infer<typeof RegularBody>;

/** Fields of an early draft of the API. */
export const REGULAR_RULES = {
  ...SUBSTITUTION_RULES,
  refused: { template_id: 'template_id is not accepted, use the template send' },
};

/** `POST …/messages/template` (spec 2-messages §1.4). */
export const TemplateSendBody = z.strictObject({
  template_id: Uuid.meta({ format: 'uuid' }),
  recipients: listOfUpTo(MAX_RECIPIENTS),
  from: Address.nullish().meta({ description: 'The sender of the template when left out.' }),
  reply_to: Address.nullish(),
  subject: optionalText.meta({
    maxLength: MAX_SUBJECT_CHARACTERS,
    description: 'The subject of the template when left out or blank.',
  }),
  ...sharedFields,
});
export type TemplateSendBody = z.infer<typeof TemplateSendBody>;

const suppliedByTemplate = (field: string) => `${field} is not accepted, the template supplies the body`;

/** Errors of spec 2-messages §1.4 step 1, in its order. */
export const TEMPLATE_RULES = {
  ...SUBSTITUTION_RULES,
  refused: {
    substitutions: 'substitutions go on each recipient, not at the top of the request',
    text_content: suppliedByTemplate('text_content'),
    html_content: suppliedByTemplate('html_content'),
    amp_content: suppliedByTemplate('amp_content'),
  },
};

/** The fields that the three have in common. */
export type SharedFields = Pick<ConversationBody, 'reply_to' | keyof typeof sharedFields>;
export type ScheduleBody = z.infer<typeof Schedule>;
export type RecipientBody = z.infer<typeof Recipient>;
export type AttachmentBody = z.infer<typeof Attachment>;
