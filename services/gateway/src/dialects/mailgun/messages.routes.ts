import { apiResponse } from '@postmesh/contracts';
import type { Mailbox } from '@postmesh/mail-format';
import { messageIdOf } from '../answers.js';
import type { Call, DialectRoute, Given, Plan, Result, WholePlan } from '../dialect.js';
import { FieldError, merge, translate, type Fragment } from '../fields.js';
import { requireCopies, requireReplaceable, withReplaced, type Placeholders } from '../literal.js';
import { sendOf } from '../template-send.js';
import { MESSAGE, MIME_MESSAGE } from './message.table.js';
import { readMime } from '../mime.js';

const MAX_RECIPIENTS = 1_000;
/** recipients of one template send of ours */
const MAX_TEMPLATE_RECIPIENTS = 100;

const RECIPIENTS = { to: 'to', cc: 'cc', bcc: 'bcc' };

/** Links of their lists: left in a message they would lead nowhere. */
const UNSUBSCRIBE = /%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/;

/** Values that are no fields of ours. */
interface Special {
  readonly template_id?: string;
  readonly variables?: Record<string, unknown>;
  /** theirs for Go has the variables in a header */
  readonly variablesHeader?: { readonly text: string; readonly values: Record<string, unknown> };
  readonly each?: Record<string, unknown>;
  /** of `v:` */
  readonly data?: readonly (readonly [string, string])[];
}

interface Message extends Fragment {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
}

function requireDomain({ params }: Given, { email }: Mailbox): void {
  const domain = params['domain'] ?? '';
  if (!email.toLowerCase().endsWith(`@${domain.toLowerCase()}`))
    throw new FieldError('from', `must have the domain of the path, ${domain}`);
}

function withData(message: Message, { data, variablesHeader, template_id }: Special): Message {
  const given = template_id === undefined ? variablesHeader : undefined;
  if (data && given) throw new FieldError('h:X-Mailgun-Variables', 'is not supported together with v:');
  if (!data && !given) return message;
  const value = given?.text ?? JSON.stringify(Object.fromEntries(data ?? []));
  return merge({ ...message }, { headers: [{ name: 'X-Mailgun-Variables', value }] }) as Message;
}

/** Values of one recipient, by any spelling of the address. */
function valuesOf(each: Record<string, unknown>, { email }: Mailbox): Record<string, unknown> {
  const found = each[email] ?? each[email.toLowerCase()] ?? {};
  if (typeof found !== 'object' || Array.isArray(found))
    throw new FieldError(`recipient-variables.${email}`, 'must be an object');
  return found as Record<string, unknown>;
}

function placeholdersOf(values: Record<string, unknown>, { email, name = '' }: Mailbox): Placeholders {
  const own = Object.entries(values).map(
    ([key, value]) =>
      [`%recipient.${key}%`, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return new Map([
    ['%recipient%', name === '' ? email : `${name} <${email}>`],
    ['%recipient_email%', email],
    ['%recipient_name%', name],
    ...own,
  ]);
}

/** A message for each recipient. */
function callsForEach(message: Message, each: Record<string, unknown>): Call[] {
  const { to, ...rest } = message;
  requireCopies('recipient-variables', rest, to.length);
  return to.map((one) => {
    const placeholders = placeholdersOf(valuesOf(each, one), one);
    requireReplaceable('recipient-variables', rest, placeholders);
    return {
      operation: 'messages.send-conversation',
      body: () => withReplaced({ ...rest, to: [one] }, placeholders),
    };
  });
}

function templateCalls(message: Message, special: Special): Call[] {
  const { template_id, variables, variablesHeader, each = {}, data = [] } = special;
  const { to, ...rest } = message;
  const common = { ...Object.fromEntries(data), ...variablesHeader?.values, ...variables };
  const recipients = to.map((one) => ({ ...one, substitutions: { ...common, ...valuesOf(each, one) } }));
  const groups = Array.from({ length: Math.ceil(recipients.length / MAX_TEMPLATE_RECIPIENTS) }, (_, nth) =>
    recipients.slice(nth * MAX_TEMPLATE_RECIPIENTS, (nth + 1) * MAX_TEMPLATE_RECIPIENTS),
  );
  requireCopies('to', rest, groups.length);
  return groups.map((group) => ({
    operation: 'messages.send-template',
    body: () => ({ ...rest, template_id, recipients: group }),
  }));
}

function requireForEach(message: Message): void {
  if (message.to.length > MAX_RECIPIENTS)
    throw new FieldError('to', `must have at most ${MAX_RECIPIENTS} recipients`);
  for (const name of ['cc', 'bcc'] as const) {
    if (message[name] !== undefined)
      throw new FieldError(
        name,
        'is not supported together with recipient-variables: each recipient gets a message',
      );
  }
}

function callsOf(given: Given): Call[] {
  const { template_id, variables, variablesHeader, each, data, ...read } = translate(
    MESSAGE,
    given.body,
  ) as Message & Special;
  // theirs for Go has an empty text next to a template
  const { text_content: text, ...others } = read;
  const fields = template_id !== undefined && text === '' ? others : read;
  const special: Special = {
    ...(template_id !== undefined && { template_id }),
    ...(variables && { variables }),
    ...(variablesHeader && { variablesHeader }),
    ...(each && { each }),
    ...(data && { data }),
  };
  const message = withData(fields as Message, special);
  requireDomain(given, message.from);
  for (const name of ['html_content', 'text_content', 'amp_content'] as const) {
    if (UNSUBSCRIBE.test(String(message[name] ?? '')))
      throw new FieldError(name.replace('_content', ''), 'has a link of a list, which is not supported');
  }
  if (template_id === undefined && variables)
    throw new FieldError('t:variables', 'is not supported without template');
  if (each) {
    requireForEach(message);
    return template_id === undefined ? callsForEach(message, each) : templateCalls(message, special);
  }
  if (template_id === undefined) return [sendOf(message, undefined, RECIPIENTS)];
  sendOf(message, { template_id }, RECIPIENTS);
  return templateCalls(message, special);
}

const planOf = (calls: readonly Call[]): WholePlan => ({
  calls,
  answer: (results) =>
    apiResponse(200, { id: `<${messageIdOf(results[0] as Result)}>`, message: 'Queued. Thank you.' }),
});

export const MESSAGE_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'messages.send': {
    method: 'POST',
    path: '/v3/{domain}/messages',
    what: 'Send a message',
    becomes: '`POST …/messages/conversation`, with a template `POST …/messages/template`',
    fields: MESSAGE,
    accepts: 'form',
    plan: (given): Plan => planOf(callsOf(given)),
  },
  'messages.send-mime': {
    method: 'POST',
    path: '/v3/{domain}/messages.mime',
    what: 'Send a message in MIME',
    becomes: '`POST …/messages/conversation`',
    fields: MIME_MESSAGE,
    accepts: 'form',
    plan: async (given) => {
      const { mime, recipients, ...options } = translate(MIME_MESSAGE, given.body);
      const read = await readMime(mime as Buffer, recipients as Mailbox[]);
      requireDomain(given, read.from);
      return planOf([{ operation: 'messages.send-conversation', body: () => merge({ ...read }, options) }]);
    },
  },
};
