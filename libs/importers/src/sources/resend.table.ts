import type { Source } from './source.js';

const READ = '2026-11-27';

/** Resend. */
export const RESEND: Source = {
  title: 'Resend',
  suppressions: [
    {
      name: 'suppressions',
      page: 'https://www.resend.com/docs/api-reference/suppressions/list-suppressions',
      read: READ,
      needs: ['email', 'origin'],
      rowsIn: ['data'],
      email: 'email',
      at: 'created_at',
      cause: {
        column: 'origin',
        values: { bounce: 'bounce', complaint: 'complaint', manual: 'manual', unsubscribe: 'unsubscribe' },
      },
    },
  ],
  contacts: [
    {
      name: 'contacts',
      page: 'https://resend.com/docs/dashboard/audiences/contacts',
      read: READ,
      needs: ['email', 'unsubscribed'],
      rowsIn: ['data'],
      email: 'email',
      firstName: 'first_name',
      lastName: 'last_name',
      consent: { column: 'unsubscribed', values: { true: 'unsubscribed', false: 'subscribed' } },
      passedOver: ['id', 'object', 'created_at', 'properties'],
    },
  ],
  templates: {
    language: 'placeholders',
    names: {
      FIRST_NAME: 'first_name',
      LAST_NAME: 'last_name',
      EMAIL: 'email',
      UNSUBSCRIBE_URL: 'unsubscribe_url',
      RESEND_UNSUBSCRIBE_URL: 'unsubscribe_url',
    },
    form: {
      page: 'https://resend.com/docs/dashboard/templates/template-variables',
      read: READ,
      rowsIn: ['data'],
      templateName: 'name',
      subject: 'subject',
      html: 'html',
      text: 'text',
    },
  },
  webhooks: {
    page: 'https://resend.com/docs/webhooks/introduction.md',
    read: READ,
    rowsIn: ['data'],
    url: 'endpoint',
    enabled: { column: 'status', value: 'enabled' },
    events: { column: 'events', as: 'names' },
    flags: {
      'email.sent': ['on_reception'],
      'email.scheduled': null,
      'email.delivered': ['on_delivered'],
      'email.delivery_delayed': ['on_transient_error'],
      'email.bounced': ['on_bounced'],
      'email.failed': ['on_failed'],
      'email.suppressed': ['on_suppressed'],
      'email.complained': ['on_suppression_created'],
      'email.opened': ['on_opened'],
      'email.clicked': ['on_clicked'],
      'email.received': null,
      'contact.created': null,
      'contact.updated': null,
      'contact.deleted': null,
      'domain.created': null,
      'domain.updated': null,
      'domain.deleted': null,
      'suppression.added': ['on_suppression_created'],
    },
  },
  records: {
    page: 'https://resend.com/docs/api-reference/domains/get-domain',
    read: READ,
    domain: 'name',
    host: ['name'],
    type: 'type',
    value: ['value'],
  },
  spf: ['amazonses.com'],
  without: {},
};
