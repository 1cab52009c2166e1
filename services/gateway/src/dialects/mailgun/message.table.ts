import { parseExactJson, requireBoundedJson } from '@postmesh/contracts';
import { FieldError, refused, required, supported, type FieldTable, type Fragment } from '../fields.js';
import type { FormFile } from '../form.js';
import {
  contentId,
  headerField,
  mailbox,
  mailboxes,
  objectOf,
  typeOfFile,
  UNKNOWN_TYPE,
} from '../readers.js';

// Every value of a form is a list: a name may be given more than once.

type Values = readonly (string | FormFile)[];

function textsOf(value: unknown, name: string): string[] {
  return (value as Values).map((item) => {
    if (typeof item !== 'string') throw new FieldError(name, 'must be a text, not a file');
    return item;
  });
}

function textOf(value: unknown, name: string): string {
  const [first = '', ...more] = textsOf(value, name);
  if (more.length > 0) throw new FieldError(name, 'must be given once');
  return first;
}

function filesOf(value: unknown, name: string): FormFile[] {
  return (value as Values).map((item) => {
    if (typeof item === 'string') throw new FieldError(name, 'must be a file of a multipart form');
    return item;
  });
}

function jsonOf(value: unknown, name: string): Record<string, unknown> {
  try {
    const given = textOf(value, name);
    requireBoundedJson(Buffer.from(given));
    return objectOf(parseExactJson(given), name);
  } catch (error) {
    if (error instanceof FieldError) throw error;
    throw new FieldError(name, 'must be a JSON object');
  }
}

const ON: ReadonlySet<string> = new Set(['yes', 'true']);
const OFF: ReadonlySet<string> = new Set(['no', 'false']);

function flagOf(value: unknown, name: string): boolean {
  const given = textOf(value, name).toLowerCase();
  if (!ON.has(given) && !OFF.has(given)) throw new FieldError(name, 'must be yes or no');
  return ON.has(given);
}

/** Our links of HTML are tracked, or none are. */
const clicksOf = (value: unknown, name: string): boolean =>
  textOf(value, name).toLowerCase() === 'htmlonly' || flagOf(value, name);

const all = (value: unknown, name: string) => textsOf(value, name).flatMap((each) => mailboxes(each, name));
const body = (field: string) =>
  supported(`\`${field}\``, (value, name) => ({ [field]: textOf(value, name) }));
const recipients = (field: string) =>
  supported(`\`${field}\``, (value, name) => ({ [field]: all(value, name) }));

/** The value that asks for what is the case anyway. */
const only = (value: 'yes' | 'no', why: string) =>
  refused(why, {
    text: `\`${value}\``,
    allows: (given) =>
      (given as Values).every((each) => (value === 'yes' ? ON : OFF).has(String(each).toLowerCase())),
  });

function timeOf(value: unknown, name: string): Fragment {
  const time = new Date(textOf(value, name));
  if (Number.isNaN(time.getTime()))
    throw new FieldError(name, 'must be a time such as Fri, 30 Jan 2026 12:00:00 +0000');
  return { schedule: { first_attempt: time.toISOString() } };
}

const attached = (to: string, isInline: boolean) =>
  supported(to, (value, name) => ({
    attachments: filesOf(value, name).map(({ fileName, contentType, data }) => ({
      data,
      base64: true,
      file_name: fileName,
      content_type: contentType && contentType !== UNKNOWN_TYPE ? contentType : typeOfFile(fileName),
      ...(isInline ? { content_id: contentId(fileName), content_disposition: 'inline' } : {}),
    })),
  }));

/** The fields of both requests. */
const OPTIONS: FieldTable = {
  'o:tag': supported('`tags`', (value, name) => ({ tags: textsOf(value, name) })),
  'o:deliverytime': supported('`schedule.first_attempt`, within 7 days', timeOf),
  'o:testmode': supported('`sandbox`', (value, name) => ({ sandbox: flagOf(value, name) })),
  'o:tracking': supported('`tracking`', (value, name) => ({
    tracking: { open: clicksOf(value, name), click: clicksOf(value, name) },
  })),
  'o:tracking-clicks': supported(
    '`tracking.click`: `htmlonly` is the same as `yes`, texts are not tracked',
    (value, name) => ({
      tracking: { click: clicksOf(value, name) },
    }),
  ),
  'o:tracking-opens': supported('`tracking.open`', (value, name) => ({
    tracking: { open: flagOf(value, name) },
  })),
  'o:dkim': only('yes', 'every message is signed'),
  'o:secondary-dkim': refused('a domain signs for itself'),
  'o:secondary-dkim-public': refused('a domain signs for itself'),
  'o:require-tls': only('no', 'TLS is used where a server offers it'),
  'o:skip-verification': only('yes', 'certificates of mail hosts are verified where DNS asks for it'),
  'o:deliverytime-optimize-period': refused('the time is that of `o:deliverytime`'),
  'o:time-zone-localize': refused('the time is that of `o:deliverytime`'),
  'o:tracking-pixel-location-top': only('no', 'the image is at the end'),
  'o:sending-ip': refused('the operator assigns addresses to accounts'),
  'o:sending-ip-pool': refused('the operator assigns addresses to accounts'),
  'o:archive-to': refused('give it as `bcc`'),
};

/** The fields of `POST /v3/{domain}/messages`. */
export const MESSAGE: FieldTable = {
  from: required(supported('`from`', (value, name) => ({ from: mailbox(textOf(value, name), name) }))),
  to: required(
    supported('`to`: recipients see each other, unless there are `recipient-variables`', (value, name) => ({
      to: all(value, name),
    })),
  ),
  cc: recipients('cc'),
  bcc: recipients('bcc'),
  subject: body('subject'),
  text: body('text_content'),
  html: body('html_content'),
  'amp-html': body('amp_content'),
  attachment: attached('`attachments`', false),
  inline: attached('`attachments`, with the name of the file as `content_id`', true),
  template: supported('`template_id`: the UUID of one of our templates', (value, name) => ({
    template_id: textOf(value, name),
  })),
  't:variables': supported('`substitutions` of each recipient', (value, name) => ({
    variables: jsonOf(value, name),
  })),
  'h:X-Mailgun-Variables': supported('as `t:variables`; without a template `headers`', (value, name) => ({
    variablesHeader: { text: textOf(value, name), values: jsonOf(value, name) },
  })),
  't:version': refused('the published version is sent'),
  't:text': only('yes', 'a template has its text'),
  'recipient-variables': supported('a message for each recipient, with these values', (value, name) => ({
    each: jsonOf(value, name),
  })),
  ...OPTIONS,
  'h:*': supported('`headers`', (value, name) => ({
    headers: textsOf(value, name).map((each) => headerField(name.slice('h:'.length), each, name)),
  })),
  'v:*': supported(
    'the header `X-Mailgun-Variables`, and with a template `substitutions`',
    (value, name) => ({
      data: [[name.slice('v:'.length), textOf(value, name)]],
    }),
  ),
};

/** The fields of `POST /v3/{domain}/messages.mime`. */
export const MIME_MESSAGE: FieldTable = {
  to: required(
    supported(
      'the recipients; those that `To` and `Cc` of the message do not name become `bcc`',
      (value, name) => ({
        recipients: all(value, name),
      }),
    ),
  ),
  message: required(
    supported(
      'read into `from`, `to`, `cc`, `subject`, the bodies, `attachments` and `headers`',
      (value, name) => {
        const [first, ...more] = value as Values;
        if (first === undefined || more.length > 0) throw new FieldError(name, 'must be given once');
        return { mime: typeof first === 'string' ? Buffer.from(first) : Buffer.from(first.data, 'base64') };
      },
    ),
  ),
  ...OPTIONS,
};
