import type { FormInput } from './forms.schema.js';
import { DAEMON } from './server-forms.table.js';

const { raw } = String;

const GOOGLE = raw`mailer-daemon@google`;
/** Mail gateways of phones: their bounces are sentences. */
const CARRIERS = raw`\b(?:mailer-daemon|post_?master|mail-?system|no-?reply)@[a-z0-9.-]{0,60}\b(?:ezweb|docomo|softbank|vtext|vzwpix|tmomail|mms-gateway)\.`;

/** Forms of services that are one installation: recognised by their own names, so they come first. */
export const PROVIDER_FORMS: readonly FormInput[] = [
  {
    id: 'google-groups',
    writer: 'Google Groups',
    when: [{ from: GOOGLE, header: 'x-google-smtp-source', text: 'the group you tried to contact' }],
    reason: ['below-address'],
    about: { kind: 'spam', class: 'PolicyRelated', over: 'always' },
    samples: ['google-groups'],
  },
  {
    id: 'gmail-delayed',
    writer: 'Gmail, its warning',
    when: [{ from: GOOGLE, subject: raw`\(delay\)` }],
    action: 'delayed',
    samples: ['gmail-delayed'],
  },
  {
    id: 'gmail-old',
    writer: 'Gmail, old',
    when: [{ text: raw`delivery to the following recipients? failed permanently`, from: DAEMON }],
    recipientAfter: ['failed permanently:?'],
    reason: ['behind-words'],
    reasonAfter: [
      'error that the other server returned was:',
      raw`technical details of (?:permanent|temporary) failure:`,
    ],
    samples: ['gmail-old'],
  },
  {
    id: 'gmail',
    writer: 'Gmail',
    when: [{ from: GOOGLE }],
    reason: ['behind-words'],
    reasonAfter: ['the response(?: from the remote server)? was:'],
    samples: ['gmail'],
  },
  {
    id: 'exchange-online',
    writer: 'Exchange Online',
    when: [
      { from: raw`\b(?:postmaster|microsoftexchange[a-f0-9]{0,40})@[a-z0-9.-]{1,80}\.onmicrosoft\.` },
      { header: 'x-ms-exchange-message-is-ndr' },
    ],
    reason: ['code'],
    samples: ['exchange-online', 'exchange-online-expired'],
  },
  {
    id: 'outlook-com',
    writer: 'Outlook.com',
    when: [{ header: 'x-message-info', from: DAEMON }],
    reason: ['code'],
    samples: ['outlook-com'],
  },
  {
    id: 'yahoo',
    writer: 'Yahoo',
    when: [{ header: 'x-ymailisg', from: DAEMON }],
    recipientAfter: ['deliver your message to the following address(?:es)?'],
    samples: ['yahoo'],
  },
  {
    id: 'aol',
    writer: 'AOL',
    when: [{ header: 'x-aol-ip', from: DAEMON }],
    reason: ['code'],
    samples: ['aol'],
  },
  {
    id: 'mail-ru',
    writer: 'mail.ru',
    when: [{ from: raw`mailer-daemon@(?:[a-z0-9-]{1,30}\.)?mail\.ru\b`, header: 'x-failed-recipients' }],
    reason: ['below-address', 'code'],
    samples: ['mail-ru'],
  },
  {
    id: 'yandex',
    writer: 'Yandex',
    when: [{ header: 'x-yandex-*', from: DAEMON }],
    reason: ['below-address', 'code'],
    samples: ['yandex'],
  },
  {
    id: 'zoho',
    writer: 'Zoho',
    when: [{ header: 'x-zohomail*', from: DAEMON }],
    reason: ['below-address', 'code'],
    samples: ['zoho'],
  },
  {
    id: 'amazon-ses',
    writer: 'Amazon SES',
    when: [{ header: 'x-ses-outgoing', from: DAEMON }],
    reason: ['below-address', 'code'],
    samples: ['amazon-ses'],
  },
  {
    id: 'carrier',
    writer: 'gateways of mobile carriers',
    when: [
      {
        from: CARRIERS,
        text: raw`could not be delivered|will not be delivered|mailbox is full|unknown user|user unknown|no valid recipients|account is (?:disabled|suspended|temporarily)`,
      },
    ],
    reason: ['code', 'below-address'],
    samples: ['carrier', 'carrier-full'],
  },
];
