import { parseJsonBody } from '@postmesh/service-host';
import { withExactNumbers } from '@postmesh/contracts';
import type { Mailbox } from '@postmesh/mail-format';
import { FieldError, group, listOf, refused, required, supported, type FieldTable } from '../fields.js';
import {
  contentId,
  headerField,
  listUnlessEmpty,
  mailbox,
  mailboxList,
  objectOf,
  replyTo,
  text,
  typeOfFile,
} from '../readers.js';

const recipients = (field: string) =>
  supported(`\`${field}\``, (value, name) => listUnlessEmpty(field, mailboxList(value, name)));

const DESTINATION: FieldTable = {
  ToAddresses: recipients('to'),
  CcAddresses: recipients('cc'),
  BccAddresses: recipients('bcc'),
};

/** Texts arrive in JSON, which is UTF-8 whatever the mail would have. */
const CHARSETS = new Set(['utf-8', 'us-ascii']);
const content = (field: string): FieldTable => ({
  Data: required(supported(`\`${field}\``, (value, name) => ({ [field]: text(value, name) }))),
  Charset: refused('messages are in UTF-8', {
    text: '`UTF-8` or `US-ASCII`',
    allows: (value) => CHARSETS.has(String(value).toLowerCase()),
  }),
});

const HEADER: FieldTable = {
  Name: required(supported('`name`', (value, name) => ({ name: text(value, name) }))),
  Value: required(supported('`value`', (value, name) => ({ value: text(value, name) }))),
};
const headers = listOf('`headers`', HEADER, (parts, path) => ({
  headers: parts.map(({ name, value }, at) => headerField(String(name), String(value), `${path}[${at}]`)),
}));

const DISPOSITIONS: Readonly<Record<string, string>> = { ATTACHMENT: 'attachment', INLINE: 'inline' };
const ATTACHMENT: FieldTable = {
  RawContent: required(
    supported('`data`, base64', (value, name) => ({ data: text(value, name), base64: true })),
  ),
  FileName: required(
    supported('`file_name`', (value, name) => {
      const file_name = text(value, name);
      return { file_name, content_type: typeOfFile(file_name) };
    }),
  ),
  ContentType: supported('`content_type`; by the name of the file when left out', (value, name) => ({
    content_type: text(value, name),
  })),
  ContentDisposition: supported('`content_disposition`: `ATTACHMENT` or `INLINE`', (value, name) => {
    const content_disposition = DISPOSITIONS[text(value, name)];
    if (content_disposition === undefined) throw new FieldError(name, 'must be ATTACHMENT or INLINE');
    return { content_disposition };
  }),
  ContentId: supported('`content_id`', (value, name) => ({ content_id: contentId(text(value, name)) })),
  ContentDescription: refused('files have a name alone'),
  ContentTransferEncoding: refused('the service chooses the encoding', {
    text: '`BASE64`',
    allows: (value) => value === 'BASE64',
  }),
};
const attachments = listOf('`attachments`', ATTACHMENT, (parts) => ({ attachments: parts }));

const merged = (parts: Record<string, unknown>) => parts;

const SIMPLE: FieldTable = {
  Subject: required(group('`subject`', content('subject'), merged)),
  Body: required(
    group(
      'the bodies',
      {
        Text: group('`text_content`', content('text_content'), merged),
        Html: group('`html_content`', content('html_content'), merged),
      },
      merged,
    ),
  ),
  Headers: headers,
  Attachments: attachments,
};

/** A JSON text; its numbers keep their digits (spec 2-messages §1.5). */
function templateData(value: unknown, name: string): Record<string, unknown> {
  const given = text(value, name);
  if (given.trim() === '') return {};
  const parsed = parsedText(given, name);
  const exact = withExactNumbers({ values: parsed }, () => `{"values":${given}}`, ['values']);
  return objectOf((exact as { values: unknown }).values, name);
}

function parsedText(given: string, name: string): unknown {
  try {
    return parseJsonBody(Buffer.from(given));
  } catch {
    throw new FieldError(name, 'must be the JSON of an object');
  }
}

const data = supported('`substitutions` of the recipient: the JSON of an object', (value, name) => ({
  substitutions: templateData(value, name),
}));

const TEMPLATE: FieldTable = {
  TemplateName: required(
    supported('`template_id`: the UUID of one of our templates', (value, name) => ({
      template_id: text(value, name),
    })),
  ),
  TemplateArn: refused('there are no ARNs'),
  TemplateContent: refused('the content is that of the template'),
  TemplateData: data,
  Headers: headers,
  Attachments: attachments,
};

const TAG: FieldTable = {
  Name: required(supported('the part of the tag before `:`', (value, name) => ({ name: text(value, name) }))),
  Value: required(
    supported('the part of the tag after `:`', (value, name) => ({ value: text(value, name) })),
  ),
};
const tags = listOf('`tags`: `name:value`, 10 of up to 64 characters', TAG, (parts) => ({
  tags: parts.map(({ name, value }) => `${String(name)}:${String(value)}`),
}));

const NO_ARN = 'there are no ARNs: a key sends for its own domains';
const SHARED: FieldTable = {
  FromEmailAddressIdentityArn: refused(NO_ARN),
  ReplyToAddresses: supported('`reply_to`; several addresses become the header', (value, name) =>
    replyTo(mailboxList(value, name)),
  ),
  FeedbackForwardingEmailAddress: refused('bounces and complaints come by webhook'),
  FeedbackForwardingEmailAddressIdentityArn: refused(NO_ARN),
  ConfigurationSetName: refused('there are no configuration sets'),
  EndpointId: refused('an installation has one region'),
  TenantName: refused('each sub-account has its own keys'),
};

const destination = (to: string) => group(to, DESTINATION, (part) => ({ destination: part }));

/** The fields of `SendEmail`. */
export const SEND_EMAIL: FieldTable = {
  FromEmailAddress: supported('`from`; of `Raw` the same as its header `From`', (value, name) => ({
    from: mailbox(value, name),
  })),
  Destination: destination(
    '`to`, `cc` and `bcc`; of `Raw` the recipients, without it those of the headers `To`, `Cc` and `Bcc`',
  ),
  ...SHARED,
  Content: required(
    group(
      'one of its fields',
      {
        Simple: group('`POST …/messages/conversation`', SIMPLE, (simple) => ({ simple })),
        Raw: group(
          'read into `from`, `to`, `cc`, `subject`, the bodies, `attachments` and `headers`',
          {
            Data: required(
              supported('the message in MIME, base64', (value, name) => ({
                mime: Buffer.from(text(value, name), 'base64'),
              })),
            ),
          },
          ({ mime }) => ({ mime }),
        ),
        Template: group('`POST …/messages/template`', TEMPLATE, (template) => ({ template })),
      },
      (part) => ({ content: part }),
    ),
  ),
  EmailTags: tags,
  ListManagementOptions: refused('there are no topics'),
};

/** The fields of `SendBulkEmail`. */
export const SEND_BULK_EMAIL: FieldTable = {
  FromEmailAddress: supported('`from`; needed unless the template has a sender', (value, name) => ({
    from: mailbox(value, name),
  })),
  ...SHARED,
  DefaultEmailTags: tags,
  DefaultContent: required(
    group(
      'its `Template`',
      { Template: required(group('`POST …/messages/template`', TEMPLATE, merged)) },
      merged,
    ),
  ),
  BulkEmailEntries: required(
    listOf(
      'up to 50 such sends, each with its own result',
      {
        Destination: required(destination('one address in `ToAddresses`')),
        ReplacementTags: tags,
        ReplacementEmailContent: group(
          'see its fields',
          {
            ReplacementTemplate: group('see its field', { ReplacementTemplateData: data }, merged),
          },
          merged,
        ),
        ReplacementHeaders: headers,
      },
      (entries) => ({ entries }),
    ),
  ),
};

export interface Destination {
  readonly to?: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly bcc?: readonly Mailbox[];
}
