import type { Source } from './source.js';

const READ = '2026-11-27';

/** Postal: it exports nothing; a query of its database writes the file (docs/moving-here.md). */
export const POSTAL: Source = {
  title: 'Postal',
  suppressions: [
    {
      name: 'suppressions',
      page: 'https://github.com/postalserver/postal/blob/0b352f83b9e95abdbf595ff568039018ae65b5b1/lib/postal/message_db/suppression_list.rb',
      read: READ,
      needs: ['type', 'address', 'reason', 'timestamp'],
      email: 'address',
      at: 'timestamp',
      details: ['reason'],
      cause: { column: 'type', values: { recipient: 'bounce' } },
    },
  ],
  contacts: [],
  spf: [],
  without: {
    contacts: 'Postal has no contacts',
    templates: 'Postal has no templates',
    webhooks: 'Postal exports no webhooks: make them by hand',
    domains: 'Postal shows its records on the page of a domain and in no file',
  },
};
