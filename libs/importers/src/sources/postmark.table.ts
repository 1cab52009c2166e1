import type { Source } from './source.js';

const READ = '2026-11-27';

/** Postmark. Suppressions are per message stream: one file each. It has no contacts. */
export const POSTMARK: Source = {
  title: 'Postmark',
  suppressions: [
    {
      name: 'suppressions',
      page: 'https://github.com/ActiveCampaign/postmark-dotnet/wiki/Managing-Suppressions',
      read: READ,
      needs: ['EmailAddress', 'SuppressionReason'],
      rowsIn: ['Suppressions'],
      email: 'EmailAddress',
      at: 'CreatedAt',
      details: ['Origin'],
      cause: {
        column: 'SuppressionReason',
        // made by hand or by the recipient's unsubscribe
        values: { hardbounce: 'bounce', spamcomplaint: 'complaint', manualsuppression: 'unsubscribe' },
      },
    },
  ],
  contacts: [],
  templates: {
    language: 'mustachio',
    names: { 'pm:unsubscribe': 'unsubscribe_url', 'pm:unsubscribe_url': 'unsubscribe_url' },
    form: {
      page: 'https://postmarkapp.com/support/article/1077-template-syntax',
      read: READ,
      rowsIn: ['Templates'],
      templateName: 'Name',
      subject: 'Subject',
      html: 'HtmlBody',
      text: 'TextBody',
    },
  },
  webhooks: {
    page: 'https://prismatic.io/docs/example-payloads/postmark/actions/listWebhooks.json',
    read: READ,
    rowsIn: ['Webhooks'],
    url: 'Url',
    events: { column: 'Triggers', as: 'switches' },
    flags: {
      Open: ['on_opened'],
      Click: ['on_clicked'],
      Delivery: ['on_delivered'],
      Bounce: ['on_bounced', 'on_failed', 'on_transient_error'],
      SpamComplaint: ['on_suppression_created'],
      SubscriptionChange: ['on_suppression_created'],
    },
  },
  records: {
    page: 'https://postmarkapp.com/developer/api/domains-api',
    read: READ,
    domain: 'Name',
    host: [],
    type: '',
    value: [],
    fields: [
      { host: 'DKIMHost', type: 'TXT', value: 'DKIMTextValue' },
      { host: 'ReturnPathDomain', type: 'CNAME', value: 'ReturnPathDomainCNAMEValue' },
    ],
  },
  spf: ['mtasv.net'],
  without: { contacts: 'Postmark has no contacts' },
};
