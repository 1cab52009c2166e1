import { ApiError, apiResponse } from '@postmesh/contracts';
import type { Mailbox } from '@postmesh/mail-format';
import { messageUuidOf } from '../answers.js';
import type { Call, DialectRoute, Plan, Result } from '../dialect.js';
import { FieldError, merge, translate, type Fragment } from '../fields.js';
import { readMime } from '../mime.js';
import { sendOf } from '../template-send.js';
import { SEND_BULK_EMAIL, SEND_EMAIL, type Destination } from './email.table.js';

const MAX_ENTRIES = 50;

const NAMES = {
  to: 'Destination.ToAddresses',
  cc: 'Destination.CcAddresses',
  bcc: 'Destination.BccAddresses',
};
const RAW = { message: 'Content.Raw.Data', to: 'Destination' };

interface Content {
  readonly simple?: Fragment;
  readonly mime?: Buffer;
  readonly template?: Fragment;
}

interface Email extends Fragment {
  readonly from?: Mailbox;
  readonly destination?: Destination;
  readonly content: Content;
}

async function callOf(body: unknown): Promise<Call> {
  const { destination, content, ...options } = translate(SEND_EMAIL, body) as Email;
  if (Object.keys(content).length !== 1)
    throw new FieldError('Content', 'must have one of: Simple, Raw, Template');
  if (content.mime) return rawCall(content.mime, destination, options);
  if (!destination) throw new FieldError('Destination', 'is required', 'missing');
  const { template_id, substitutions, ...fields } = content.template ?? content.simple ?? {};
  if (!content.template) requireSender(options);
  const fragment = merge({ ...options, ...destination }, fields);
  return sendOf(fragment, content.template && { template_id, substitutions }, NAMES);
}

function requireSender({ from }: { from?: Mailbox }): void {
  if (!from) throw new FieldError('FromEmailAddress', 'is required', 'missing');
}

async function rawCall(
  mime: Buffer,
  destination: Destination | undefined,
  { from, ...options }: Fragment & { from?: Mailbox },
): Promise<Call> {
  const { to = [], cc = [], bcc = [] } = destination ?? {};
  const recipients = [...to, ...cc, ...bcc];
  const message = await readMime(mime, recipients.length > 0 ? recipients : undefined, RAW);
  if (from && from.email.toLowerCase() !== message.from.email.toLowerCase())
    throw new FieldError('FromEmailAddress', 'must be the address of the header From');
  return { operation: 'messages.send-conversation', body: () => merge({ ...message }, options) };
}

/** A header of the entry replaces one of the same name. */
function headersOf(common: unknown, own: unknown): Fragment {
  const given = (own ?? []) as { name: string }[];
  const names = new Set(given.map(({ name }) => name.toLowerCase()));
  const kept = ((common ?? []) as { name: string }[]).filter(({ name }) => !names.has(name.toLowerCase()));
  const all = [...kept, ...given];
  return all.length === 0 ? {} : { headers: all };
}

function bulkCalls(body: unknown): (Call | ApiError)[] {
  const { entries, template_id, substitutions, headers, ...common } = translate(SEND_BULK_EMAIL, body);
  const list = entries as Fragment[];
  if (list.length === 0 || list.length > MAX_ENTRIES)
    throw new FieldError('BulkEmailEntries', `must have 1 to ${MAX_ENTRIES} entries`);
  return list.map(({ destination, substitutions: own, headers: ownHeaders, ...entry }) => {
    const fragment = {
      ...common,
      ...entry,
      ...headersOf(headers, ownHeaders),
      ...(destination as Destination),
    };
    const values = { ...(substitutions as object | undefined), ...(own as object | undefined) };
    try {
      return sendOf(fragment, { template_id, substitutions: values }, NAMES);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  });
}

/** Their statuses of entries, by ours of their sends; all others are FAILED. */
const ENTRY_STATUS: Readonly<Record<number, string>> = {
  400: 'MESSAGE_REJECTED',
  403: 'MESSAGE_REJECTED',
  404: 'TEMPLATE_NOT_FOUND',
  429: 'ACCOUNT_THROTTLED',
  503: 'TRANSIENT_FAILURE',
};

function entryOf(outcome: Result | ApiError): object {
  if (!(outcome instanceof ApiError)) {
    try {
      return { Status: 'SUCCESS', MessageId: messageUuidOf(outcome) };
    } catch (error) {
      if (error instanceof ApiError) return entryOf(error);
      throw error;
    }
  }
  return { Status: ENTRY_STATUS[outcome.status] ?? 'FAILED', Error: outcome.message };
}

const sendPlan = (call: Call): Plan => ({
  calls: [call],
  answer: (results) => apiResponse(200, { MessageId: messageUuidOf(results[0] as Result) }),
});

export const EMAIL_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'email.send': {
    method: 'POST',
    path: '/v2/email/outbound-emails',
    what: '`SendEmail`',
    becomes: '`POST …/messages/conversation`, with a template `POST …/messages/template`',
    fields: SEND_EMAIL,
    accepts: 'json',
    plan: async ({ body }): Promise<Plan> => sendPlan(await callOf(body)),
  },
  'email.send-bulk': {
    method: 'POST',
    path: '/v2/email/outbound-bulk-emails',
    what: '`SendBulkEmail`',
    becomes: `up to ${MAX_ENTRIES} times \`POST …/messages/template\`, each with its own result`,
    fields: SEND_BULK_EMAIL,
    accepts: 'json',
    plan: ({ body }): Plan => ({
      items: bulkCalls(body),
      answer: (outcomes) => apiResponse(200, { BulkEmailEntryResults: outcomes.map(entryOf) }),
    }),
  },
};
