import type { HouseScriptInput } from './house-script.js';

/** A mail host that behaves like a large provider, or like a broken one. */
export interface House extends HouseScriptInput {
  /** its domain is `<name>.houses.test` */
  name: string;
  /** one line of the table in docs/local-internet.md */
  about: string;
}

/** Every house. docs/local-internet.md has the same lines; a test compares them. */
export const HOUSES: readonly House[] = [
  {
    name: 'googleish',
    about: '421 4.7.28 for 60 s above 300 messages a minute',
    rate: {
      ...{ messages: 300, perSeconds: 60, forSeconds: 60, at: 'data' },
      reply: {
        code: 421,
        text: [
          '4.7.28 Our system has detected an unusual rate of unsolicited mail',
          '4.7.28 originating from your IP address. To protect our users from spam,',
          '4.7.28 mail sent from your IP address has been temporarily rate limited.',
        ].join('\n'),
      },
    },
  },
  {
    name: 'yahooish',
    about: 'closes a connection without a word after 20 messages',
    perConnection: { most: 20 },
  },
  {
    name: 'outlookish',
    about: '451 4.7.650 above 100 messages a minute, until no client has tried for 30 s',
    untilQuiet: {
      ...{ messages: 100, perSeconds: 60, quietSeconds: 30, at: 'mail' },
      reply: {
        code: 451,
        text: '4.7.650 The mail server has been temporarily rate limited due to IP reputation.',
      },
    },
  },
  {
    name: 'limited',
    about: '421 4.7.0 instead of a greeting above 2 connections',
    connections: { most: 2, reply: { code: 421, text: '4.7.0 Too many connections from your address' } },
  },
  {
    name: 'grey',
    about: '450 4.2.0 to a new triplet of address, sender and recipient, for 300 s',
    greylist: { seconds: 300, reply: { code: 450, text: '4.2.0 Greylisted, see you in five minutes' } },
  },
  {
    name: 'slow',
    about: 'says everything at one byte a second',
    bytesPerSecond: 1,
  },
  {
    name: 'silent',
    about: 'takes connections and never says anything; so does every name below it',
    silent: true,
  },
  {
    name: 'scattered',
    about: 'as `silent`; every name below it has a host name of its own, all at one address',
    silent: true,
    dns: { mx: 'each' },
  },
  { name: 'cut-before', about: 'cuts the connection while the message comes', cut: 'before-dot' },
  { name: 'cut-at', about: 'cuts it at the final dot and stores nothing', cut: 'at-dot' },
  { name: 'cut-after', about: 'stores the message and cuts before its reply', cut: 'after-dot' },
  { name: 'chatty', about: 'replies with 100 lines each, with bytes that are no UTF-8', replyLines: 100 },
  { name: 'ascii', about: 'offers no SMTPUTF8: takes no address beyond ASCII', smtpUtf8: false },
  { name: 'null', about: 'null MX: takes no mail', dns: { mx: 'null' } },
  { name: 'backup', about: 'its first MX does not listen, the second accepts mail', dns: { mx: 'backup' } },

  { name: 'tls-good', about: 'TLS with a certificate of the local authority' },
  { name: 'tls-self-signed', about: 'TLS with a self-signed certificate', tls: 'self-signed' },
  { name: 'tls-none', about: 'offers no STARTTLS', tls: 'none' },
  { name: 'tls-old', about: 'TLS 1.0 and 1.1 only', tls: 'old' },
  { name: 'tls-wrong-name', about: 'a certificate for another host', tls: 'wrong-name' },
  { name: 'tls-expired', about: 'a certificate that has expired', tls: 'expired' },
  { name: 'tls-refused', about: '454 4.7.0 to STARTTLS, which it offers', tls: 'refused' },
  {
    name: 'tls-injected',
    about: 'sends a further reply in clear behind its 220 to STARTTLS',
    tls: 'injected',
  },

  {
    name: 'dane-good',
    about: 'signed zone, TLSA of its key (3 1 1), self-signed',
    tls: 'self-signed',
    dns: { secure: true, tlsa: 'key' },
  },
  {
    name: 'dane-authority',
    about: 'signed zone, TLSA of its authority (2 0 1)',
    dns: { secure: true, tlsa: 'authority' },
  },
  { name: 'dane-bad', about: 'signed zone, TLSA of another key', dns: { secure: true, tlsa: 'bad' } },
  {
    name: 'dane-unusable',
    about: 'signed zone, TLSA that no client can use: TLS, unverified',
    tls: 'self-signed',
    dns: { secure: true, tlsa: 'unusable' },
  },
  {
    name: 'dane-failing',
    about: 'signed zone, the question for TLSA fails (SERVFAIL)',
    dns: { secure: true, tlsa: 'failing' },
  },
  {
    name: 'dane-no-tls',
    about: 'signed zone, TLSA of its key, no STARTTLS',
    tls: 'none',
    dns: { secure: true, tlsa: 'key' },
  },
  {
    name: 'dane-insecure',
    about: 'TLSA of another key in a zone that is not signed: means nothing',
    dns: { tlsa: 'bad' },
  },

  { name: 'sts-enforce', about: 'MTA-STS enforce, its certificate fits', dns: { sts: 'enforce' } },
  {
    name: 'sts-enforce-bad',
    about: 'MTA-STS enforce, the certificate is for another host',
    tls: 'wrong-name',
    dns: { sts: 'enforce' },
  },
  {
    name: 'sts-enforce-no-tls',
    about: 'MTA-STS enforce, no STARTTLS',
    tls: 'none',
    dns: { sts: 'enforce' },
  },
  {
    name: 'sts-other-host',
    about: 'MTA-STS enforce, the policy names another host',
    dns: { sts: 'other-host' },
  },
  {
    name: 'sts-testing',
    about: 'MTA-STS testing, the certificate is for another host',
    tls: 'wrong-name',
    dns: { sts: 'testing' },
  },
  { name: 'sts-none', about: 'MTA-STS none', tls: 'wrong-name', dns: { sts: 'none' } },
  { name: 'sts-gone', about: 'an MTA-STS record without a policy behind it (404)', dns: { sts: 'gone' } },
  {
    name: 'sts-shared',
    about: 'MTA-STS enforce, at the host of `tls-expired`: never delivered, while `tls-expired` is',
    dns: { sts: 'enforce', hostOf: 'tls-expired' },
  },
];
