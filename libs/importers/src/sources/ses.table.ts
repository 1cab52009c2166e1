import type { Source } from './source.js';

const READ = '2026-11-27';
const DOCS = 'https://docs.aws.amazon.com/ses/latest';

/** Amazon SES: what `aws sesv2 …` prints as JSON. */
export const SES: Source = {
  title: 'Amazon SES',
  suppressions: [
    {
      name: 'suppressions',
      page: `${DOCS}/APIReference-V2/API_SuppressedDestinationSummary.html`,
      read: READ,
      needs: ['EmailAddress', 'Reason'],
      rowsIn: ['SuppressedDestinationSummaries'],
      email: 'EmailAddress',
      at: 'LastUpdateTime',
      cause: { column: 'Reason', values: { bounce: 'bounce', complaint: 'complaint' } },
    },
  ],
  contacts: [
    {
      name: 'contacts',
      page: `${DOCS}/APIReference-V2/API_Contact.html`,
      read: READ,
      needs: ['EmailAddress', 'UnsubscribeAll'],
      rowsIn: ['Contacts'],
      email: 'EmailAddress',
      consent: { column: 'UnsubscribeAll', values: { true: 'unsubscribed', false: 'subscribed' } },
      passedOver: ['TopicPreferences', 'TopicDefaultPreferences', 'LastUpdatedTimestamp'],
    },
  ],
  templates: {
    language: 'handlebars',
    form: {
      page: `${DOCS}/dg/send-personalized-email-api.html`,
      read: READ,
      rowsIn: ['Templates'],
      templateName: 'TemplateName',
      subject: 'TemplateContent.Subject',
      html: 'TemplateContent.Html',
      text: 'TemplateContent.Text',
    },
  },
  records: {
    page: 'https://docs.aws.amazon.com/goto/WebAPI/email/VerifyDomainDkim',
    read: READ,
    domain: 'EmailIdentity',
    host: ['Name'],
    type: 'Type',
    value: ['Value'],
  },
  spf: ['amazonses.com'],
  without: {
    webhooks: 'Amazon SES publishes events to SNS, EventBridge and Firehose, which have no URL of a receiver',
  },
};
