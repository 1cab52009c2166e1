import { FieldError, listOf, refused, required, supported, unless, type FieldTable } from '../fields.js';
import {
  contentId,
  dataTags,
  flag,
  headerField,
  mailbox,
  mailboxes,
  objectOf,
  replyTo,
  text,
} from '../readers.js';

const recipients = (field: string) =>
  supported(`\`${field}\``, (value, name) => (value === '' ? {} : { [field]: mailboxes(value, name) }));

const ATTACHMENT: FieldTable = {
  Name: required(supported('`file_name`', (value, name) => ({ file_name: text(value, name) }))),
  Content: required(
    supported('`data`, base64', (value, name) => ({ data: text(value, name), base64: true })),
  ),
  ContentType: required(supported('`content_type`', (value, name) => ({ content_type: text(value, name) }))),
  ContentID: supported('`content_id`, and the file is inline', (value, name) =>
    value === '' ? {} : { content_id: contentId(text(value, name)), content_disposition: 'inline' },
  ),
  Disposition: supported('`content_disposition`', (value, name) => ({
    content_disposition: text(value, name),
  })),
  ContentLength: refused('the length is that of `Content`'),
};

const HEADER: FieldTable = {
  Name: required(supported('`name`', (value, name) => ({ name: text(value, name) }))),
  Value: required(supported('`value`', (value, name) => ({ value: text(value, name) }))),
};

/** Our links of HTML are tracked, or none are. */
const TRACK_LINKS: Readonly<Record<string, boolean>> = { None: false, HtmlOnly: true, HtmlAndText: true };

function trackLinks(value: unknown, name: string) {
  const click = TRACK_LINKS[text(value, name)];
  if (click === undefined)
    throw new FieldError(
      name,
      `must be one of: ${Object.keys(TRACK_LINKS).join(', ')}; links in texts are not tracked`,
    );
  return { tracking: { click } };
}

const SHARED: FieldTable = {
  To: supported('`to`: recipients see each other; one with a template', (value, name) =>
    value === '' ? {} : { to: mailboxes(value, name) },
  ),
  Cc: recipients('cc'),
  Bcc: recipients('bcc'),
  ReplyTo: supported('`reply_to`; several addresses become the header', (value, name) =>
    value === '' ? {} : replyTo(mailboxes(value, name)),
  ),
  Tag: supported('`tags`', (value, name) => (value === '' ? {} : { tags: [text(value, name)] })),
  Metadata: supported('`tags`: `key:value`, 10 of up to 64 characters with `Tag`', dataTags),
  Headers: listOf('`headers`', HEADER, (headers, path) => ({
    headers: headers.map(({ name, value }, at) => headerField(String(name), String(value), `${path}[${at}]`)),
  })),
  Attachments: listOf('`attachments`', ATTACHMENT, (attachments) => ({ attachments })),
  TrackOpens: supported('`tracking.open`', (value, name) => ({ tracking: { open: flag(value, name) } })),
  TrackLinks: supported(
    '`tracking.click`: `None`, `HtmlOnly` or `HtmlAndText`, of which the HTML is tracked',
    trackLinks,
  ),
  MessageStream: refused('there are no streams', unless('outbound', '')),
};

const from = supported('`from`', (value, name) => ({ from: mailbox(value, name) }));

/** The fields of `POST /email`, and of each item of `POST /email/batch`. */
export const EMAIL: FieldTable = {
  From: required(from),
  ...SHARED,
  Subject: supported('`subject`', (value, name) => ({ subject: text(value, name) })),
  HtmlBody: supported('`html_content`', (value, name) => ({ html_content: text(value, name) })),
  TextBody: supported('`text_content`', (value, name) => ({ text_content: text(value, name) })),
};

/** The fields of `POST /email/withTemplate`, and of each item of `POST /email/batchWithTemplates`. */
export const TEMPLATED_EMAIL: FieldTable = {
  From: from,
  ...SHARED,
  TemplateAlias: required(
    supported('`template_id`: the UUID of one of our templates', (value, name) => ({
      template_id: text(value, name),
    })),
  ),
  TemplateId: refused('our templates have UUIDs, give it as `TemplateAlias`'),
  TemplateModel: required(
    supported('`substitutions` of the recipient', (value, name) => ({
      substitutions: objectOf(value, name),
    })),
  ),
  InlineCss: refused('CSS stays as the template has it', unless(false)),
  Subject: refused('a template has its subject'),
};

export const BATCH_OF_TEMPLATES: FieldTable = {
  Messages: required(supported('a list of emails', (value) => ({ items: value }))),
};
