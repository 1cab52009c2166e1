import {
  FieldError,
  group,
  listOf,
  refused,
  required,
  supported,
  translate,
  unless,
  type FieldTable,
  type Fragment,
} from '../fields.js';
import {
  contentId,
  dataTags,
  flag,
  headerObject,
  listUnlessEmpty,
  objectOf,
  replyTo,
  text,
  texts,
  typeOfFile,
} from '../readers.js';

const ADDRESS: FieldTable = {
  email: required(supported('`email`', (value, name) => ({ email: text(value, name) }))),
  name: supported('`name`', (value, name) => ({ name: text(value, name) })),
};

type Mailbox = { email: string; name?: string };

const address = (to: string, into: (box: Mailbox) => Fragment) =>
  group(to, ADDRESS, (box) => into(box as unknown as Mailbox));
const addresses = (field: string) =>
  listOf(`\`${field}\``, ADDRESS, (boxes) => listUnlessEmpty(field, boxes));

function secondsAsTime(value: unknown, name: string): Fragment {
  if (!Number.isInteger(value) || Math.abs(value as number) > 1e11)
    throw new FieldError(name, 'must be an integer: seconds since 1970');
  return { schedule: { first_attempt: new Date((value as number) * 1_000).toISOString() } };
}
const sendAt = supported('`schedule.first_attempt`, within 7 days', secondsAsTime);
const subject = supported('`subject`', (value, name) => ({ subject: text(value, name) }));
const customArgs = supported('`tags`: `key:value`, 10 of up to 64 characters with the categories', dataTags);

/** Their SDK knows a dynamic template by the beginning of its id. */
export const ourTemplateId = (given: string): string => given.replace(/^d-/, '');

const PERSONALIZATION: FieldTable = {
  to: required(addresses('to')),
  cc: addresses('cc'),
  bcc: addresses('bcc'),
  from: address('`from`', (from) => ({ from })),
  subject,
  headers: supported('`headers`', headerObject),
  substitutions: supported('replaced as written in subject and content', (value, name) => ({
    placeholders: new Map(
      Object.entries(objectOf(value, name)).map(([key, given]) => {
        if (key === '') throw new FieldError(name, 'has an empty key');
        return [key, text(given, `${name}.${key}`)];
      }),
    ),
  })),
  dynamic_template_data: supported(
    '`substitutions` of the recipient; refused without `template_id`',
    (value, name) => ({
      data: objectOf(value, name),
    }),
  ),
  custom_args: customArgs,
  send_at: sendAt,
};

/** Their content types as our fields. */
const CONTENT_FIELDS: Readonly<Record<string, string>> = {
  'text/plain': 'text_content',
  'text/html': 'html_content',
  'text/x-amp-html': 'amp_content',
};

const CONTENT: FieldTable = {
  type: required(
    supported(
      '`text/plain`, `text/html` or `text/x-amp-html`; a calendar is an attachment',
      (value, name) => {
        const field = CONTENT_FIELDS[text(value, name).split(';', 1)[0]?.trim().toLowerCase() ?? ''];
        if (field === undefined)
          throw new FieldError(name, `must be one of: ${Object.keys(CONTENT_FIELDS).join(', ')}`);
        return { field };
      },
    ),
  ),
  value: required(
    supported('`text_content`, `html_content` or `amp_content`', (value, name) => ({
      value: text(value, name),
    })),
  ),
};

const ATTACHMENT: FieldTable = {
  content: required(
    supported('`data`, base64', (value, name) => ({ data: text(value, name), base64: true })),
  ),
  filename: required(
    supported('`file_name`', (value, name) => {
      const file_name = text(value, name);
      return { file_name, content_type: typeOfFile(file_name) };
    }),
  ),
  type: supported('`content_type`; by the name of the file when left out', (value, name) => ({
    content_type: text(value, name),
  })),
  disposition: supported('`content_disposition`', (value, name) => ({
    content_disposition: text(value, name),
  })),
  content_id: supported('`content_id`', (value, name) => ({ content_id: contentId(text(value, name)) })),
};

/** A setting with `enable`, which may be there as long as it is off. */
const onlyOff = (why: string) =>
  refused(why, {
    text: '`enable` is false',
    allows: (value) => (value as { enable?: unknown }).enable === false,
  });
const bypass = onlyOff('a suppressed address gets no mail');

const MAIL_SETTINGS: FieldTable = {
  sandbox_mode: group(
    '`sandbox`',
    { enable: supported('`sandbox`', (value, name) => ({ sandbox: flag(value, name) })) },
    (part) => part,
  ),
  bypass_list_management: bypass,
  bypass_spam_management: bypass,
  bypass_bounce_management: bypass,
  bypass_unsubscribe_management: bypass,
  footer: onlyOff('content stays as it is'),
  bcc: onlyOff('give it as `bcc` of the personalization'),
  spam_check: onlyOff('there is no check of content'),
};

const TRACKING_SETTINGS: FieldTable = {
  click_tracking: group(
    '`tracking.click`',
    {
      enable: supported('`tracking.click`', (value, name) => ({ tracking: { click: flag(value, name) } })),
      enable_text: refused('links in texts are not tracked', unless(false)),
    },
    (part) => part,
  ),
  open_tracking: group(
    '`tracking.open`',
    {
      enable: supported('`tracking.open`', (value, name) => ({ tracking: { open: flag(value, name) } })),
      substitution_tag: refused('the image is at the end', unless('')),
    },
    (part) => part,
  ),
  subscription_tracking: onlyOff('templates have `unsubscribe_url`'),
  ganalytics: onlyOff('links stay as they are'),
};

/** The fields of `POST /v3/mail/send`. */
export const MAIL: FieldTable = {
  personalizations: required(
    listOf(
      'one message each: `POST …/messages/conversation` or `/template`',
      PERSONALIZATION,
      (personalizations) => ({
        personalizations,
      }),
    ),
  ),
  from: required(address('`from`', (from) => ({ from }))),
  reply_to: address('`reply_to`', (box) => replyTo([box])),
  reply_to_list: listOf('`reply_to`; several addresses become the header', ADDRESS, (boxes) =>
    replyTo(boxes as unknown as Mailbox[]),
  ),
  subject,
  content: listOf('the bodies', CONTENT, (parts) =>
    Object.fromEntries(parts.map(({ field, value }) => [String(field), value])),
  ),
  attachments: listOf('`attachments`', ATTACHMENT, (attachments) => ({ attachments })),
  template_id: supported('`template_id`', (value, name) => ({
    template_id: ourTemplateId(text(value, name)),
  })),
  headers: supported('`headers`', headerObject),
  categories: supported('`tags`', (value, name) => ({ tags: texts(value, name) })),
  custom_args: customArgs,
  send_at: sendAt,
  mail_settings: group('see its fields', MAIL_SETTINGS, (part) => part),
  tracking_settings: group('see its fields', TRACKING_SETTINGS, (part) => part),
  sections: refused('use `substitutions`', {
    text: '`{}`',
    allows: (value) => JSON.stringify(value) === '{}',
  }),
  batch_id: refused('each message is cancelled by its id'),
  asm: refused('there are no groups of unsubscribes'),
  ip_pool_name: refused('the operator assigns addresses to accounts', unless('')),
};

/** `null` is no object. */
export const readMail = (body: unknown): Fragment => translate(MAIL, body);
