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
};
