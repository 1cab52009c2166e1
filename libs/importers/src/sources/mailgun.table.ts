import type { Source } from './source.js';

const READ = '2026-11-27';
const API = 'https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun';

/** Mailgun. Its lists are per domain: `--domain` keeps that. */
export const MAILGUN: Source = {
  title: 'Mailgun',
  suppressions: [
    {
      name: 'bounces',
      page: `${API}/bounces.md`,
      read: READ,
      needs: ['address', 'code', 'error', 'created_at'],
      rowsIn: ['items'],
      email: 'address',
      at: 'created_at',
      details: ['code', 'error'],
      cause: 'bounce',
    },
    {
      name: 'unsubscribes',
      page: `${API}/unsubscribe.md`,
      read: READ,
      needs: ['address', 'tags', 'created_at'],
      rowsIn: ['items'],
      email: 'address',
      at: 'created_at',
      cause: 'unsubscribe',
    },
    {
      name: 'complaints',
      page: `${API}/complaints.md`,
      read: READ,
      needs: ['address', 'created_at'],
      rowsIn: ['items'],
      email: 'address',
      at: 'created_at',
      cause: 'complaint',
    },
  ],
  contacts: [
    {
      name: 'members',
      page: 'https://documentation.mailgun.com/docs/mailgun/user-manual/mailing-lists',
      read: READ,
      needs: ['address', 'name', 'subscribed'],
      rowsIn: ['items'],
      email: 'address',
      fullName: 'name',
      consent: {
        column: 'subscribed',
        values: { true: 'subscribed', yes: 'subscribed', false: 'unsubscribed', no: 'unsubscribed' },
      },
      attributes: 'vars',
    },
  ],
  templates: {
    language: 'handlebars',
    helpers: 'mailgun',
    names: { unsubscribe_url: 'unsubscribe_url' },
    form: {
      page: 'https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-templates',
      read: READ,
      rowsIn: ['template', 'items'],
      templateName: 'name',
      subject: 'version.headers.Subject',
      html: 'version.template',
    },
  },
  webhooks: {
    page: `${API}/domain-webhooks.md`,
    read: READ,
    rowsIn: [],
    url: 'urls',
    events: { column: 'webhooks', as: 'by-event' },
    flags: {
      accepted: ['on_reception'],
      delivered: ['on_delivered'],
      temporary_fail: ['on_transient_error'],
      permanent_fail: ['on_bounced', 'on_failed', 'on_suppressed'],
      opened: ['on_opened'],
      clicked: ['on_clicked'],
      complained: ['on_suppression_created'],
      unsubscribed: ['on_suppression_created'],
    },
  },
  records: {
    page: `${API}/domains.md`,
    read: READ,
    domain: 'domain.name',
    host: ['name'],
    type: 'record_type',
    value: ['value'],
  },
  spf: ['mailgun.org'],
  without: {},
};
