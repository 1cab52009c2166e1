// @ts-check
// What became of a message.

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

/** @type {import('./requests.mjs').Commands} */
export const MESSAGE_COMMANDS = {
  message: {
    usage: '<message id>',
    help: 'one message, what happened to it and what it waits for',
    about:
      'The id is that of the API, or the Message-ID with or without angle brackets. The last line of the timeline is what it waits for, as the delivery worker knows it now.',
    least: 1,
    most: 1,
    request: ([id = '']) => ({ path: `/operator/messages/messages/${encodeURIComponent(id)}` }),
    fields: MESSAGE_FIELDS,
    tables: {
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
    help: 'the address of feedback loops, which providers have complained to it, and the mail that came there',
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
