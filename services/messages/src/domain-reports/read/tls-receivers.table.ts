import { PARSEDMARC, VIEWER, type Sample, type Sent } from './receivers.table.js';

const tls = (type = 'application/tlsrpt+gzip'): Sent => ({
  ...{ type, fileName: 'reporter.test!shop.test!1767225600!1767311999!1.json.gz' },
  packed: 'gzip',
});

/** Differences of the reports about TLS of receivers to RFC 8460. */
export const TLS_RECEIVERS: readonly Sample[] = [
  {
    file: 'tls-google.json',
    receiver: 'Google',
    quirk: 'the hosts as a list; no list of failures',
    source: 'https://github.com/jgosmann/dmarc-metrics-exporter/issues/52',
    sent: tls(),
    figures: ['Google Inc.', 'sts shop.test 3 sent, 0 failed'],
  },
  {
    file: 'tls-google-no-policy.json',
    receiver: 'Google',
    quirk: 'no policy; the same id as of a domain with one',
    source: `${VIEWER}/blob/main/testdata/smtp-tls-reports/google.json`,
    sent: tls(),
    figures: ['Google Inc.', 'no-policy-found shop.test 2 sent, 0 failed'],
  },
  {
    file: 'tls-microsoft-no-host.json',
    receiver: 'Microsoft',
    quirk: 'a failure without hosts and addresses',
    source: `${VIEWER}/issues/57`,
    sent: tls(),
    figures: ['Microsoft Corporation', 'sts shop.test 0 sent, 3 failed', 'sts-policy-fetch-error at - 3'],
  },
  {
    file: 'tls-microsoft-policy.json',
    receiver: 'Microsoft',
    quirk: 'gzip with the type of any gzip',
    source: `${PARSEDMARC}/issues/561`,
    sent: tls('application/gzip'),
    figures: ['Microsoft Corporation', 'sts shop.test 2 sent, 0 failed'],
  },
  {
    file: 'tls-mail-ru.json',
    receiver: 'Mail.ru',
    quirk: 'more failures in the details than in the sum',
    source: `${PARSEDMARC}/blob/f3206dcdab9fa00c1552ec39e94b3dc172f97221/samples/smtp_tls/mail.ru.json`,
    sent: tls(),
    figures: [
      'Mail.ru',
      'sts shop.test 0 sent, 1 failed',
      'sts-policy-fetch-error at - 1',
      'sts-policy-fetch-error at - 1',
    ],
  },
  {
    file: 'tls-no-contact.json',
    receiver: 'several small ones',
    quirk: 'null for the contact; the end at midnight',
    source: `${VIEWER}/issues/71`,
    sent: tls(),
    figures: ['clinic.test', 'sts shop.test 1 sent, 0 failed'],
  },
  {
    file: 'tls-no-domain.json',
    receiver: 'Postfix with tlsrpt-reporter',
    quirk: 'no domain without a policy: the figures are of the domain that the report came to',
    source: 'https://github.com/sys4/tlsrpt-reporter/issues/51',
    sent: tls(),
    figures: ['mx.hobby.test', 'no-policy-found - 1 sent, 0 failed'],
  },
  {
    file: 'tls-empty-fields.json',
    receiver: 'writers that fill in every member',
    quirk: 'empty texts in a failure',
    source: `${PARSEDMARC}/blob/e283e67643149be320e2d68e11d23f073a7c8866/samples/smtp_tls/empty_failure_detail_fields.json`,
    sent: tls(),
    figures: ['Reporter Example', 'sts shop.test 0 sent, 1 failed', 'sts-policy-fetch-error at - 1'],
  },
  {
    file: 'tls-tlsa-of-host.json',
    receiver: 'Postfix with tlsrpt-reporter',
    quirk: 'the host as the domain of a TLSA policy; capitals and final dots (ours)',
    source: 'https://github.com/sys4/tlsrpt-reporter/issues/12',
    sent: tls(),
    figures: [
      'postfix.test',
      'tlsa mx1.shop.test 4 sent, 1 failed',
      'certificate-not-trusted at mx1.shop.test 1',
    ],
  },
  {
    file: 'tls-counts-as-text.json',
    receiver: 'none that is known',
    quirk: 'numbers as text; null for the host',
    source: null,
    sent: tls('application/json'),
    figures: ['text.test', 'sts shop.test 12 sent, 2 failed', 'certificate-expired at - 2'],
  },
  {
    file: 'tls-draft.json',
    receiver: 'writers by a draft before RFC 8460',
    quirk: 'one policy outside of a list, and other names of the sums',
    source: 'https://github.com/mrisher/smtp-sts/issues/153',
    sent: tls('application/tlsrpt+json'),
    refused: 'no report about TLS',
  },
];
