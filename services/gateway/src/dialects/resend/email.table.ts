import { readTime } from '@postmesh/contracts';
import { FieldError, group, listOf, refused, required, supported, type FieldTable } from '../fields.js';
import {
  contentId,
  headerObject,
  listUnlessEmpty,
  mailbox,
  mailboxList,
  objectOf,
  replyTo,
  text,
  typeOfFile,
} from '../readers.js';

const recipients = (field: string) =>
  supported(`\`${field}\``, (value, name) =>
    Array.isArray(value) && value.length === 0 ? {} : listUnlessEmpty(field, mailboxList(value, name)),
  );

/** Their SDKs for Python and Go send files in this form. */
function base64Of(bytes: readonly unknown[], name: string): string {
  const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (!bytes.every(isByte)) throw new FieldError(name, 'must be base64 or a list of bytes, 0 to 255');
  return Buffer.from(bytes as number[]).toString('base64');
}

const inline = supported('`content_id`, and the file is inline', (value, name) => ({
  content_id: contentId(text(value, name)),
  content_disposition: 'inline',
}));

const ATTACHMENT: FieldTable = {
  content: required(
    supported('`data`: base64, or a list of bytes', (value, name) => ({
      data: Array.isArray(value) ? base64Of(value, name) : text(value, name),
      base64: true,
    })),
  ),
  filename: required(
    supported('`file_name`', (value, name) => {
      const file_name = text(value, name);
      return { file_name, content_type: typeOfFile(file_name) };
    }),
  ),
  content_type: supported('`content_type`; by the name of the file when left out', (value, name) => ({
    content_type: text(value, name),
  })),
  content_id: inline,
  inline_content_id: inline,
  path: refused('files are not fetched from other hosts, send `content`'),
};

const TAG: FieldTable = {
  name: required(supported('the part of the tag before `:`', (value, name) => ({ name: text(value, name) }))),
  value: supported('the part of the tag after `:`', (value, name) => ({ value: text(value, name) })),
};

const TEMPLATE: FieldTable = {
  id: required(
    supported('`template_id`: the UUID of one of our templates', (value, name) => ({
      template_id: text(value, name),
    })),
  ),
  variables: supported('`substitutions` of the recipient', (value, name) => ({
    substitutions: objectOf(value, name),
  })),
};

/** The fields of `POST /emails`, and of each item of `POST /emails/batch`. */
export const EMAIL: FieldTable = {
  from: supported('`from`; needed unless the template has a sender', (value, name) => ({
    from: mailbox(value, name),
  })),
  to: required(
    supported('`to`: recipients see each other; one with a template', (value, name) => ({
      to: mailboxList(value, name),
    })),
  ),
  cc: recipients('cc'),
  bcc: recipients('bcc'),
  subject: supported('`subject`', (value, name) => ({ subject: text(value, name) })),
  html: supported('`html_content`', (value, name) => ({ html_content: text(value, name) })),
  text: supported('`text_content`', (value, name) => ({ text_content: text(value, name) })),
  reply_to: supported('`reply_to`; several addresses become the header', (value, name) =>
    Array.isArray(value) && value.length === 0 ? {} : replyTo(mailboxList(value, name)),
  ),
  headers: supported('`headers`', headerObject),
  attachments: listOf('`attachments`', ATTACHMENT, (attachments) => ({ attachments })),
  tags: listOf('`tags`: `name:value`, 10 of up to 64 characters', TAG, (tags) => ({
    tags: tags.map(({ name, value }) =>
      value === undefined ? String(name) : `${String(name)}:${String(value)}`,
    ),
  })),
  scheduled_at: supported(
    '`schedule.first_attempt`: an ISO 8601 time within 7 days, no words',
    (value, name) => ({
      schedule: { first_attempt: timeOf(value, name) },
    }),
  ),
  template: group('the send of a template', TEMPLATE, (template) => ({ template })),
  topic_id: refused('there are no topics'),
  region: refused('an installation has one region'),
};

function timeOf(value: unknown, name: string): string {
  const given = text(value, name);
  if (!readTime(given))
    throw new FieldError(name, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z; words are not read');
  return given;
}
