import { ApiError, apiResponse } from '@postmesh/contracts';
import { readMailboxes } from '@postmesh/mail-format';
import { z } from 'zod';
import { messageUuidOf } from '../answers.js';
import type { Call, DialectRoute, Plan, Result } from '../dialect.js';
import { FieldError, refused, translate, type FieldTable } from '../fields.js';
import { sendOf, type TemplateOf } from '../template-send.js';
import { EMAIL } from './email.table.js';

const MAX_BATCH = 100;

const RECIPIENTS = { to: 'to', cc: 'cc', bcc: 'bcc' };

function emailOf(given: unknown, fields: FieldTable = EMAIL): Call {
  const { template, ...fragment } = translate(fields, given);
  return sendOf(fragment, template as TemplateOf | undefined, RECIPIENTS);
}

const OF_BATCH: FieldTable = {
  ...EMAIL,
  attachments: refused('a batch has no attachments'),
};

const RESCHEDULE: FieldTable = {
  scheduled_at: refused('the time of a message is fixed; cancel it and send it again'),
};

const asId = (result: Result) => ({ id: messageUuidOf(result) });
const done = (id: string) => apiResponse(200, { object: 'email', id });

/** A header of theirs: `strict` or `permissive`. @throws ApiError 400 */
function isPermissive(header: string | string[] | undefined): boolean {
  const mode = header ?? 'strict';
  if (mode !== 'strict' && mode !== 'permissive')
    throw new ApiError(400, 'x-batch-validation must be strict or permissive');
  return mode === 'permissive';
}

function itemsOf(body: unknown): unknown[] {
  if (!Array.isArray(body) || body.length === 0)
    throw new ApiError(400, 'the body must be an array of emails');
  if (body.length > MAX_BATCH) throw new ApiError(400, `a batch may have at most ${MAX_BATCH} emails`);
  return body as unknown[];
}

/** An item that cannot be translated is named by its index. */
function itemOf(given: unknown, at: number): Call | ApiError {
  try {
    return emailOf(given, OF_BATCH);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    error.message = `emails[${at}]: ${error.message}`;
    return error;
  }
}

function strictly(item: Call | ApiError): Call {
  if (item instanceof ApiError) throw item;
  return item;
}

const Email = z.object({
  id: z.string(),
  message_id: z.string(),
  created_at: z.string(),
  subject: z.string(),
  sender: z.string(),
  recipient: z.string(),
  status: z.string(),
  tags: z.array(z.string()),
  content_parsed: z
    .object({
      parts: z.array(z.object({ content_type: z.string(), content: z.string() })),
      headers: z.record(z.string(), z.array(z.string())),
    })
    .optional(),
});

/** Our statuses as theirs; those of the sandbox as what they stand for. */
const LAST_EVENTS: Readonly<Record<string, string>> = {
  Received: 'sent',
  Scheduled: 'scheduled',
  Canceled: 'canceled',
  Deferred: 'delivery_delayed',
  Delivered: 'delivered',
  Opened: 'opened',
  Clicked: 'clicked',
  Bounced: 'bounced',
  Failed: 'failed',
  Suppressed: 'suppressed',
};

const addressesIn = (value: string): string[] =>
  readMailboxes(value)?.map(({ name, email }) => (name ? `${name} <${email}>` : email)) ?? [value];

function readEmail({ body }: Result) {
  const { content_parsed: content, ...email } = Email.parse(body);
  const header = (name: string) =>
    Object.entries(content?.headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  const part = (type: string) => content?.parts.find((each) => each.content_type.startsWith(type))?.content;
  const list = (name: string) => header(name)?.flatMap(addressesIn);
  return {
    object: 'email',
    id: email.id,
    message_id: email.message_id,
    to: list('to') ?? [email.recipient],
    from: header('from')?.[0] ?? email.sender,
    created_at: email.created_at,
    subject: email.subject,
    html: part('text/html') ?? null,
    text: part('text/plain') ?? null,
    bcc: null,
    cc: list('cc') ?? null,
    reply_to: list('reply-to') ?? null,
    last_event: LAST_EVENTS[email.status.replace(/^Sandbox /, '')] ?? 'queued',
    scheduled_at: null,
    tags: email.tags.map((tag) => {
      const at = tag.indexOf(':');
      return at < 0 ? { name: tag, value: '' } : { name: tag.slice(0, at), value: tag.slice(at + 1) };
    }),
  };
}

export const EMAIL_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'emails.send': {
    method: 'POST',
    path: '/emails',
    what: 'Send an email',
    becomes: '`POST …/messages/conversation`, with a template `POST …/messages/template`',
    fields: EMAIL,
    accepts: 'json',
    plan: ({ body }): Plan => ({
      calls: [emailOf(body)],
      answer: (results) => apiResponse(200, asId(results[0] as Result)),
    }),
  },
  'emails.batch': {
    method: 'POST',
    path: '/emails/batch',
    what: 'Send a batch',
    becomes: `up to ${MAX_BATCH} such sends; \`x-batch-validation\` as theirs`,
    fields: OF_BATCH,
    list: {},
    accepts: 'json',
    plan: ({ body, headers }): Plan => {
      const items = itemsOf(body).map(itemOf);
      if (!isPermissive(headers['x-batch-validation'])) {
        return {
          calls: items.map(strictly),
          answer: (results) => apiResponse(200, { data: results.map(asId) }),
        };
      }
      return {
        items,
        answer: (outcomes) => {
          const read = outcomes.map(idOrError);
          const errors = read.flatMap((one, index) =>
            one instanceof ApiError ? [{ index, message: one.message }] : [],
          );
          return apiResponse(200, { data: read.filter((one) => !(one instanceof ApiError)), errors });
        },
      };
    },
  },
  'emails.get': {
    method: 'GET',
    path: '/emails/{id}',
    what: 'Read an email',
    becomes: '`GET …/messages/{message_id}`',
    plan: ({ params }): Plan => ({
      calls: [{ operation: 'messages.get', params: { message_id: params['id'] ?? '' } }],
      answer: (results) => apiResponse(200, readEmail(results[0] as Result)),
    }),
  },
  'emails.update': {
    method: 'PATCH',
    path: '/emails/{id}',
    what: 'Reschedule an email',
    becomes: 'nothing: refused',
    fields: RESCHEDULE,
    accepts: 'json',
    plan: ({ body }): Plan => {
      translate(RESCHEDULE, body);
      throw new FieldError('scheduled_at', 'is required', 'missing');
    },
  },
  'emails.cancel': {
    method: 'POST',
    path: '/emails/{id}/cancel',
    what: 'Cancel a scheduled email',
    becomes: '`DELETE …/messages/{message_id}/cancel`',
    plan: ({ params }): Plan => ({
      calls: [{ operation: 'messages.cancel', params: { message_id: params['id'] ?? '' } }],
      answer: () => done(params['id'] ?? ''),
    }),
  },
};

function idOrError(outcome: Result | ApiError): { id: string } | ApiError {
  if (outcome instanceof ApiError) return outcome;
  try {
    return asId(outcome);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
