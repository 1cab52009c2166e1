import type { Source } from './source.js';

const READ = '2026-11-27';

/** listmonk. Its CSV file leaves out the subscriptions; the API's response has them. */
export const LISTMONK: Source = {
  title: 'listmonk',
  suppressions: [
    {
      name: 'blocklisted',
      page: 'https://listmonk.app/docs/concepts',
      read: READ,
      needs: ['uuid', 'email', 'status', 'updated_at'],
      rowsIn: ['results'],
      email: 'email',
      at: 'updated_at',
      cause: { column: 'status', values: { blocklisted: 'manual', enabled: null, disabled: null } },
    },
    {
      name: 'bounces',
      page: 'https://listmonk.app/docs/bounces',
      read: READ,
      needs: ['email', 'type', 'source'],
      rowsIn: ['results'],
      email: 'email',
      at: 'created_at',
      details: ['source'],
      cause: { column: 'type', values: { hard: 'bounce', complaint: 'complaint', soft: null } },
    },
  ],
  contacts: [
    {
      name: 'api',
      page: 'https://listmonk.app/docs/concepts',
      read: READ,
      needs: ['uuid', 'email', 'attribs', 'lists'],
      rowsIn: ['results'],
      lists: {
        column: 'lists',
        word: '',
        of: { name: 'name', status: 'subscription_status', joined: 'confirmed' },
      },
      email: 'email',
      fullName: 'name',
      consent: {
        column: 'status',
        values: { enabled: 'subscribed', disabled: 'disabled', blocklisted: 'blocked' },
      },
      attributes: 'attribs',
    },
    {
      name: 'csv',
      page: 'https://github.com/knadh/listmonk/blob/master/cmd/subscribers.go',
      read: READ,
      needs: ['uuid', 'email', 'attributes', 'status'],
      email: 'email',
      fullName: 'name',
      // the file does not say whether a subscription is confirmed, or ended
      consent: {
        column: 'status',
        values: { enabled: 'unconfirmed', disabled: 'disabled', blocklisted: 'blocked' },
      },
      mayBeConfirmed: true,
      attributes: 'attributes',
    },
  ],
  templates: {
    language: 'go',
    form: {
      page: 'https://listmonk.app/docs/templating',
      read: READ,
      rowsIn: ['data', 'results'],
      templateName: 'name',
      subject: 'subject',
      html: 'body',
    },
  },
  spf: [],
  without: {
    webhooks: 'listmonk calls no webhooks',
    domains: 'listmonk sends by another server and has no records of its own',
  },
};
