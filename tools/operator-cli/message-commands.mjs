// @ts-check
// The timeline of a message.
import { OperatorTrouble, queryOf } from './requests.mjs';

const MESSAGE_FIELDS = [
  'id',
  'status',
  'waiting_for',
  'waiting_until',
  'account_id',
  'sender',
  'recipient',
  'subject',
  'message_id',
  'created_at',
  'sent_at',
  'delivered_at',
  'updated_at',
  'num_attempts',
  'bounce_classification',
  'open_count',
  'click_count',
  'send_request_id',
  'kind',
  'domain',
  'tags',
  'template_id',
  'size',
  'sandbox',
  'first_attempt',
  'expires',
  'content_kept',
  'retain_data_until',
  'retain_metadata_until',
];

const messagePath = (reference) => `/operator/messages/messages/${encodeURIComponent(reference)}`;

// A Message-ID that was made here begins with the id of its message.
const ID = /^<|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:@|$)/i;

/**
 * A message by its id, or the newest ones to an address; a single one with all details.
 * @param {string} given @param {string | undefined} account
 * @param {import('./requests.mjs').CommandContext['ask']} ask
 */
async function lookUp(given, account, ask) {
  if (ID.test(given) || !given.includes('@')) return ask({ path: messagePath(given) });
  const { data: messages } = await ask({
    path: `/operator/messages/messages${queryOf({ recipient: given, account })}`,
  });
  const { data: campaigns } = await ask({
    path: `/operator/marketing/campaign-recipients${queryOf({ email: given, account })}`,
  });
  if (messages.length + campaigns.length === 0) return ofOtherMaker(given, ask);
  const [only] = messages;
  return messages.length === 1 && campaigns.length === 0
    ? ask({ path: messagePath(only.id) })
    : { messages, campaigns };
}

/** A Message-ID of an SMTP client looks like an address without its brackets. */
async function ofOtherMaker(given, ask) {
  try {
    return await ask({ path: messagePath(given) });
  } catch (error) {
    if (error.status !== 404) throw error;
    throw new OperatorTrouble(`there is no message to ${given}, nor one with this Message-ID`);
  }
}

/** @type {import('./requests.mjs').Commands} */
export const MESSAGE_COMMANDS = {
  message: {
    usage: '<message id or address>',
    help: 'one message with its timeline and the reason of its wait; for an address the newest messages to it',
    about:
      'The id is that of the API, or the Message-ID with or without angle brackets. The last line of the timeline is what it waits for, as the delivery worker knows it now. An address lists its last twenty messages, and the last twenty of campaigns.',
    options: {
      account: { value: '<account id>', help: 'for an address: only messages of this account' },
    },
    examples: ['message ann@mail.test'],
    least: 1,
    most: 1,
    run: ([given = ''], { account }, { ask }) => lookUp(given, account, ask),
    fields: MESSAGE_FIELDS,
    tables: {
      messages: ['created_at', 'status', 'id', 'sender', 'subject'],
      campaigns: ['sent_at', 'status', 'status_reason', 'message_id', 'campaign', 'campaign_id'],
      timeline: [
        'at',
        'what',
        'host',
        'address',
        'source',
        'tls',
        'reply',
        'classification',
        'rule',
        'duration_ms',
        'next_attempt_at',
      ],
      others_with_this_message_id: ['id', 'recipient', 'status'],
    },
    whole: true,
  },
  feedback: {
    usage: '[mail id]',
    help: 'the address of feedback loops, the complaints by provider, and other mail to it',
    about: [
      'Register the address with the feedback loops of Yahoo, Microsoft (JMRP), Comcast and Validity. They confirm it by mail',
      'to the address: what came there and is no complaint is listed, and read with its id. The newest 200 mails of 30 days',
      'are kept. Complaints are counted by the writer that docs/reports.md names; unmatched: about no message that is known.',
    ].join('\n'),
    examples: ['feedback', 'feedback 0198f2a4-7d3e-8b6a-9f1c-2e4d5a6b7c8d'],
    most: 1,
    request: ([id]) => ({
      path: `/operator/messages/feedback${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
    }),
    fields: ['address', 'received_at', 'kind', 'sender', 'subject', 'text', 'html'],
    tables: {
      complaints: ['form', 'matched', 'unmatched', 'last_at'],
      mail: ['id', 'received_at', 'kind', 'sender', 'subject'],
    },
    whole: true,
  },
};
