import type { ByColumn, Consent, Source } from './source.js';

const READ = '2026-11-27';
const EXPORTS = 'http://ginkgo.st/~ca/roadmap/mailchimp-and-civicrm-overview/notes-on-mailchimp-data-exports';
const MEMBERS = 'https://mailchimp.com/developer/marketing/docs/merge-fields/';

const STATUSES: ByColumn<Consent> = {
  column: 'status',
  values: {
    subscribed: 'subscribed',
    unsubscribed: 'unsubscribed',
    cleaned: 'bounced',
    pending: 'unconfirmed',
    // never agreed to marketing mail
    transactional: 'unconfirmed',
    archived: 'unconfirmed',
  },
};

const OWN_COLUMNS = [
  'MEMBER_RATING',
  'OPTIN_TIME',
  'OPTIN_IP',
  'CONFIRM_TIME',
  'CONFIRM_IP',
  'LATITUDE',
  'LONGITUDE',
  'GMTOFF',
  'DSTOFF',
  'TIMEZONE',
  'CC',
  'REGION',
  'LAST_CHANGED',
  'LEID',
  'EUID',
  'NOTES',
  'TAGS',
  'UNSUB_TIME',
  'UNSUB_CAMPAIGN_TITLE',
  'UNSUB_CAMPAIGN_ID',
  'UNSUB_REASON',
  'UNSUB_REASON_OTHER',
  'CLEAN_TIME',
  'CLEAN_CAMPAIGN_TITLE',
  'CLEAN_CAMPAIGN_ID',
];

const PEOPLE = { email: 'Email Address', firstName: 'First Name', lastName: 'Last Name' };

/** Mailchimp: the three CSV files of an audience, or the members of the API. An audience is a list here. */
export const MAILCHIMP: Source = {
  title: 'Mailchimp',
  suppressions: [
    {
      name: 'cleaned',
      page: EXPORTS,
      read: READ,
      needs: ['Email Address', 'CLEAN_TIME'],
      email: 'Email Address',
      at: 'CLEAN_TIME',
      cause: 'bounce',
    },
    {
      name: 'unsubscribed',
      page: EXPORTS,
      read: READ,
      needs: ['Email Address', 'UNSUB_TIME'],
      email: 'Email Address',
      at: 'UNSUB_TIME',
      details: ['UNSUB_REASON'],
      cause: 'unsubscribe',
    },
    {
      name: 'members',
      page: MEMBERS,
      read: READ,
      needs: ['email_address', 'status', 'last_changed'],
      rowsIn: ['members'],
      email: 'email_address',
      at: 'last_changed',
      details: ['unsubscribe_reason'],
      cause: {
        column: 'status',
        values: {
          cleaned: 'bounce',
          unsubscribed: 'unsubscribe',
          subscribed: null,
          pending: null,
          transactional: null,
          archived: null,
        },
      },
    },
  ],
  contacts: [
    {
      name: 'cleaned',
      page: EXPORTS,
      read: READ,
      needs: ['Email Address', 'OPTIN_TIME', 'CLEAN_TIME'],
      ...PEOPLE,
      consent: 'bounced',
      passedOver: OWN_COLUMNS,
    },
    {
      name: 'unsubscribed',
      page: EXPORTS,
      read: READ,
      needs: ['Email Address', 'OPTIN_TIME', 'UNSUB_TIME'],
      ...PEOPLE,
      consent: 'unsubscribed',
      passedOver: OWN_COLUMNS,
    },
    {
      name: 'subscribed',
      page: EXPORTS,
      read: READ,
      needs: ['Email Address', 'OPTIN_TIME'],
      ...PEOPLE,
      consent: 'subscribed',
      passedOver: OWN_COLUMNS,
    },
    {
      name: 'members',
      page: MEMBERS,
      read: READ,
      needs: ['email_address', 'status', 'merge_fields'],
      rowsIn: ['members'],
      email: 'email_address',
      firstName: 'merge_fields.FNAME',
      lastName: 'merge_fields.LNAME',
      consent: STATUSES,
      attributes: 'merge_fields',
      passedOver: ['FNAME', 'LNAME'],
    },
  ],
  templates: {
    language: 'merge-tags',
    names: {
      EMAIL: 'email',
      FNAME: 'first_name',
      LNAME: 'last_name',
      UNSUB: 'unsubscribe_url',
      ARCHIVE: 'view_browser_url',
    },
    form: {
      page: 'https://mandrill.zendesk.com/hc/en-us/articles/360039278713-About-Dynamic-and-Conditional-Merge-Tags',
      read: READ,
      rowsIn: ['templates'],
      templateName: 'name',
      subject: 'subject',
      html: 'code',
      text: 'text',
    },
  },
  spf: ['mcsv.net', 'mandrillapp.com'],
  without: {
    webhooks: 'webhooks of Mailchimp report changes of an audience, which ours do not',
    domains:
      'Mailchimp shows its records on its domains page and in no file: compare with `npx postmesh import … domains` of a file in the form of another source, or by hand',
  },
};
