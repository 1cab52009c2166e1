/** The form of a report in a mail, where its file is not the whole mail. */
export interface Sent {
  readonly type: string;
  readonly fileName: string;
  readonly packed?: 'gzip' | 'zip';
}

export interface Sample {
  /** in samples/receivers, written by hand; `.eml`: the whole mail */
  readonly file: string;
  readonly receiver: string;
  readonly quirk: string;
  /** the page that has the fact, read on 2026-11-28; null: no receiver is known to */
  readonly source: string | null;
  readonly sent?: Sent;
  /** the figures in the file, by a person; see `figuresOf` in the spec */
  readonly figures?: readonly string[];
  /** the reason for which it is not read */
  readonly refused?: string;
}

export const PARSEDMARC = 'https://github.com/domainaware/parsedmarc';
export const VIEWER = 'https://github.com/cry-inc/dmarc-report-viewer';
const gz = (name: string, type = 'application/gzip'): Sent => ({
  ...{ type, fileName: `${name}!shop.test!1767225600!1767311999.xml.gz` },
  packed: 'gzip',
});
const zip = (name: string, type = 'application/zip'): Sent => ({
  ...{ type, fileName: `${name}!shop.test!1767225600!1767311999.zip` },
  packed: 'zip',
});
/** Differences of aggregate and failure reports of receivers to the examples of the RFCs, each with a report that has it. */
export const DMARC_RECEIVERS: readonly Sample[] = [
  {
    file: 'google-two-signatures.xml',
    receiver: 'Google',
    quirk: 'a signature of the mail service before that of the domain; zip; `np` in the policy of RFC 7489',
    source: `${PARSEDMARC}/issues/619`,
    sent: zip('google.com'),
    figures: [
      'google.com, shop.test p=reject',
      '192.0.2.41 3 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
      '2001:db8:4864:20::42 1 none dkim=pass spf=fail from news.shop.test, signed shop.test pass, path forwarder.test softfail',
    ],
  },
  {
    file: 'outlook-namespaces.xml',
    receiver: 'Microsoft (Outlook.com)',
    quirk: 'namespaces that nothing uses; a record for each domain of recipients',
    source: `${VIEWER}/blob/main/testdata/dmarc-reports/outlook.xml`,
    sent: gz('protection.outlook.com'),
    figures: [
      'Outlook.com, shop.test p=quarantine',
      '198.51.100.7 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
      '198.51.100.7 2 quarantine dkim=fail spf=fail from shop.test, signed -, path crm.test pass',
    ],
  },
  {
    file: 'yahoo-tabs.xml',
    receiver: 'Yahoo',
    quirk: 'a tab at the end of each line; neither version nor policy of subdomains',
    source: `${VIEWER}/blob/main/testdata/dmarc-reports/yahoo.xml`,
    sent: gz('yahoo.com', 'application/x-gzip'),
    figures: [
      'Yahoo, shop.test p=reject',
      '203.0.113.20 15 none dkim=pass spf=pass from shop.test, signed shop.test pass, path rp.shop.test pass',
    ],
  },
  {
    file: 'yahoo-no-signature.xml',
    receiver: 'Yahoo (2019)',
    quirk: 'no element for a message without a signature; no SPF record',
    source: `${PARSEDMARC}/issues/86`,
    sent: gz('yahoo.com'),
    figures: [
      'Yahoo! Inc., shop.test p=none',
      '192.0.2.111 3 none dkim=fail spf=fail from shop.test, signed -, path relay.test none',
    ],
  },
  {
    file: 'yahoo-unused.txt',
    receiver: 'Yahoo, AOL (May 2023)',
    quirk: 'the word `unused` instead of a report',
    source: `${PARSEDMARC}/issues/409`,
    sent: gz('yahoo.com'),
    refused: 'neither XML nor JSON',
  },
  {
    file: 'mail-ru-one-line.xml',
    receiver: 'Mail.ru',
    quirk: 'one line, the declaration in single quotes, the scope before the result',
    source: `${VIEWER}/blob/main/testdata/dmarc-reports/mailru.xml`,
    sent: gz('mail.ru'),
    figures: [
      'Mail.Ru, shop.test p=reject',
      '203.0.113.204 1 reject dkim=fail spf=fail from shop.test, signed -, path shop.test softfail',
    ],
  },
  {
    file: 'gmx-namespace.xml',
    receiver: 'GMX',
    quirk: 'the namespace and the elements of RFC 9990 with version 1.0',
    source: 'https://github.com/jgosmann/dmarc-metrics-exporter/pull/53',
    sent: gz('gmx.net'),
    figures: [
      'GMX, shop.test p=reject',
      '192.0.2.71 4 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'web-de-type-of-zip.xml',
    receiver: 'GMX, WEB.DE (2024)',
    quirk: 'gzip with the type of zip',
    source: 'https://github.com/msimerson/mail-dmarc/issues/247',
    sent: gz('web.de', 'application/zip'),
    figures: [
      'WEB.DE, shop.test p=reject',
      '192.0.2.72 4 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'wp-pl-empty.xml',
    receiver: 'wp.pl',
    quirk: 'a day without messages has a record without an address, with a count of 0',
    source: 'https://github.com/dmarcguardhq/dmarcguard/issues/156',
    sent: gz('wp.pl'),
    figures: ['wp.pl, shop.test p=quarantine'],
  },
  {
    file: 'zoho-helo.xml',
    receiver: 'Zoho',
    quirk: 'SPF of HELO without a domain, also before that of the return path',
    source: 'https://github.com/debricked/dmarc-visualizer/issues/18',
    sent: gz('zoho.com'),
    figures: [
      'zoho.com, shop.test p=none',
      '198.51.100.97 1 none dkim=fail spf=fail from shop.test, signed shop.test pass, path - none',
      '198.51.100.98 2 none dkim=fail spf=pass from shop.test, signed -, path shop.test pass',
    ],
  },
  {
    file: 'spf-hardfail.xml',
    receiver: 'several hosting services',
    quirk: '`hardfail`, no result of SPF in any RFC about reports',
    source: `${VIEWER}/issues/21`,
    sent: gz('hosting.test'),
    figures: [
      'hosting.test, shop.test p=reject',
      '203.0.113.61 2 reject dkim=fail spf=fail from shop.test, signed -, path shop.test fail',
    ],
  },
  {
    file: 'words-in-capitals.xml',
    receiver: 'gateways of companies',
    quirk: 'results in capitals, a signature without a domain, several results of SPF, four days',
    source: `${VIEWER}/blob/main/testdata/dmarc-reports/invalid_casing.xml`,
    sent: gz('reporter.test'),
    figures: [
      'reporter.test, shop.test p=quarantine',
      '203.0.113.62 1 quarantine dkim=fail spf=fail from shop.test, signed - fail, path shop.test none',
      '203.0.113.63 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'opendmarc-unknown.xml',
    receiver: 'OpenDMARC',
    quirk: '`unknown` for a temporary error of SPF',
    source: `${VIEWER}/issues/80`,
    sent: gz('mx.university.test'),
    figures: [
      'mx.university.test, shop.test p=none',
      '203.0.113.64 1 none dkim=fail spf=fail from shop.test, signed -, path shop.test temperror',
    ],
  },
  {
    file: 'opendmarc-no-name.xml',
    receiver: 'OpenDMARC',
    quirk: 'no name of the organisation, a range of no length, SPF of an empty return path',
    source: `${PARSEDMARC}/blob/16a4be2205f1801afff34696d3e4683bc8cdee02/samples/!example.com!1538204542!1538463818.xml.sample`,
    sent: { type: 'application/gzip', fileName: '!shop.test!1767225600!1767225600.xml.gz', packed: 'gzip' },
    figures: [
      'administrator@plastics.test, shop.test p=none',
      '203.0.113.65 1 none dkim=fail spf=fail from shop.test, signed -, path - none',
    ],
  },
  {
    file: 'inexio-dkim-unknown.xml',
    receiver: 'inexio',
    quirk: '`unknown` for a signature of the mail service',
    source: 'https://github.com/mjl-/mox/issues/215',
    sent: gz('inexio.net'),
    figures: [
      'inexio.net, shop.test p=reject',
      '192.0.2.40 1 none dkim=pass spf=fail from shop.test, signed shop.test pass, path bounce.mailer.test pass',
    ],
  },
  {
    file: 'kddi-empty-reason.xml',
    receiver: 'KDDI',
    quirk: 'an empty reason',
    source: `${PARSEDMARC}/blob/d512b9f60e78f6df58f8a580bf85982c411e5969/samples/aggregate/empty_reason.xml`,
    sent: gz('kddi.com'),
    figures: [
      'kddi.com, shop.test p=none',
      '198.51.100.123 2 none dkim=pass spf=fail from shop.test, signed shop.test pass, path school.test pass',
    ],
  },
  {
    file: 'kddi-open-tag.xml',
    receiver: 'KDDI (as quoted there)',
    quirk: 'the tag of the id is not closed',
    source: `${VIEWER}/issues/21`,
    sent: gz('kddi.com'),
    refused: 'an aggregate report without its metadata',
  },
  {
    file: 'ikea-open-schema.xml',
    receiver: 'IKEA',
    quirk: 'the report is in the tag of its schema, which is not closed',
    source: `${PARSEDMARC}/issues/18`,
    sent: gz('ikea.com'),
    figures: [
      'ikea.com, shop.test p=none',
      '203.0.113.66 1 none dkim=fail spf=fail from shop.test, signed shop.test pass, path mailrelay.test none',
    ],
  },
  {
    file: 'address-as-a-tag.xml',
    receiver: 'Veeam',
    quirk: 'an address in angle brackets, which is a tag to a reader of XML',
    source: `${PARSEDMARC}/blob/13a2624850ec304e76c14f35adc256b6db1a3204/samples/aggregate/invalid_xml.xml`,
    sent: gz('veeam.com'),
    figures: [
      'veeam.com, shop.test p=none',
      '203.0.113.67 1 none dkim=fail spf=fail from shop.test, signed -, path - none',
    ],
  },
  {
    file: 'no-results.xml',
    receiver: 'USSSA',
    quirk: 'an empty return path and no result at all',
    source: `${PARSEDMARC}/blob/16a4be2205f1801afff34696d3e4683bc8cdee02/samples/usssa.com!example.com!1538784000!1538870399.xml.sample`,
    sent: gz('usssa.com'),
    figures: [
      'usssa.com, shop.test p=none',
      '192.0.2.127 1 none dkim=fail spf=fail from shop.test, signed -, path -',
      '192.0.2.128 6 none dkim=fail spf=fail from shop.test, signed -, path -',
    ],
  },
  {
    file: 'draft-human-result.xml',
    receiver: 'writers by the example of dmarc.org',
    quirk: 'a draft before RFC 7489: no version, no scope; a comment in front',
    source: `${PARSEDMARC}/blob/6b9e36ed77395cbfc6b623da2108e43ed7e7b5c2/samples/old_draft_from_wiki.xml.sample`,
    sent: zip('acme.test'),
    figures: [
      'acme.test, shop.test p=none',
      '203.0.113.209 2 none dkim=fail spf=pass from shop.test, signed shop.test fail, path shop.test pass',
    ],
  },
  {
    file: 'draft-identities.xml',
    receiver: 'writers by the first draft',
    quirk: '`identities` instead of `identifiers`',
    source: `${PARSEDMARC}/blob/master/parsedmarc/__init__.py`,
    sent: zip('aol.test'),
    figures: [
      'aol.test, shop.test p=none',
      '203.0.113.210 5 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'microsecond-dates.xml',
    receiver: 'none that is known',
    quirk: 'seconds with a fraction',
    source: null,
    sent: gz('rspamd.test'),
    figures: [
      'rspamd.test, shop.test p=none',
      '203.0.113.211 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'two-days.xml',
    receiver: 'OpenDMARC',
    quirk: 'a range of two days that begins at any second',
    source: 'https://github.com/trusteddomainproject/OpenDMARC/issues/216',
    sent: gz('opendmarc.test'),
    figures: [
      'opendmarc.test, shop.test p=none',
      '203.0.113.212 7 none dkim=fail spf=pass from shop.test, signed -, path shop.test pass',
    ],
  },
  {
    file: 'extensions.xml',
    receiver: 'writers by RFC 9990',
    quirk: 'elements of another namespace in a record, with known names; a long form of IPv6',
    source: 'https://github.com/christianlouis/dmarq/pull/178',
    sent: gz('extended.test'),
    figures: [
      'extended.test, shop.test p=reject',
      '2001:db8::a1 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'several-reasons.xml',
    receiver: 'none that is known',
    quirk: 'two reasons; an IPv4 address in IPv6',
    source: null,
    sent: gz('mailbox.test'),
    figures: [
      'mailbox.test, shop.test p=reject',
      '192.0.2.99 2 none dkim=fail spf=fail from shop.test, signed shop.test fail, path list.test pass, mailing_list',
    ],
  },
  {
    file: 'latin-1-as-utf-8.xml',
    receiver: 'a company',
    quirk: 'Latin-1 that is declared as UTF-8',
    source: `${PARSEDMARC}/blob/13a2624850ec304e76c14f35adc256b6db1a3204/samples/aggregate/invalid_utf_8.xml`,
    sent: gz('xn--bcher-kva.test'),
    figures: [
      'Bücher & Söhne, shop.test p=none',
      '203.0.113.213 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'cut-off.xml',
    receiver: 'a company',
    quirk: 'without its end',
    source: `${PARSEDMARC}/issues/287`,
    sent: gz('cut.test'),
    refused: 'an aggregate report that ends too early',
  },
  {
    file: 'ses-octet-stream.xml',
    receiver: 'Amazon SES',
    quirk: 'the type of any file',
    source: 'https://github.com/modoboa/modoboa-dmarc/issues/52',
    sent: gz('amazonses.com', 'application/octet-stream'),
    figures: [
      'AMAZON-SES, shop.test p=none',
      '198.51.100.45 12 none dkim=pass spf=pass from shop.test, signed shop.test pass, path rp.shop.test pass',
    ],
  },
  {
    file: 'seznam-zip.xml',
    receiver: 'Seznam',
    quirk: 'zip with two endings',
    source: `${PARSEDMARC}/issues/208`,
    sent: {
      type: 'application/x-zip-compressed',
      fileName: 'seznam.cz!shop.test!1767225600!1767312000.xml.zip',
      packed: 'zip',
    },
    figures: [
      'seznam.cz a.s., shop.test p=none',
      '203.0.113.215 3 none dkim=pass spf=fail from shop.test, signed shop.test pass, path mailer.test pass',
    ],
  },
  {
    file: 'uncompressed.xml',
    receiver: 'Centera Security',
    quirk: 'not packed, as plain text',
    source: `${PARSEDMARC}/issues/607`,
    sent: { type: 'text/plain', fileName: 'centerasecurity.test!shop.test!1767225600!1767312000.xml' },
    figures: [
      'centerasecurity.test, shop.test p=none',
      '203.0.113.216 1 none dkim=fail spf=pass from shop.test, signed -, path shop.test pass',
    ],
  },
  {
    file: 'mimecast-whole-message.eml',
    receiver: 'Mimecast',
    quirk: 'the message is the file, without parts',
    source: `${PARSEDMARC}/blob/cd82febd636044c7967040f0cd76438c71bf8672/samples/aggregate/mimecast-weird-gzip.eml`,
    figures: [
      'mimecast.org, shop.test p=quarantine',
      '198.51.100.46 8 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'trustwave-no-type.eml',
    receiver: 'Trustwave SEG',
    quirk: '`ContentType`, so that the part has no type; weeks in one report',
    source: 'https://github.com/techsneeze/dmarcts-report-parser/issues/54',
    figures: [
      'council.test, shop.test p=none',
      '198.51.100.47 5 none dkim=fail spf=fail from shop.test, signed -, path shop.test softfail',
    ],
  },
  {
    file: 'rspamd-alternative.eml',
    receiver: 'Rspamd (2017)',
    quirk: 'multipart/alternative, not packed',
    source: 'https://github.com/rspamd/rspamd/issues/1793',
    figures: [
      'reporter.test, shop.test p=none',
      '203.0.113.217 1 none dkim=pass spf=pass from shop.test, signed shop.test pass, path shop.test pass',
    ],
  },
  {
    file: 'linkedin-failure.eml',
    receiver: 'LinkedIn',
    quirk: 'an empty return path, no alignment, the whole message',
    source: `${PARSEDMARC}/issues/77`,
    figures: [
      'failure dmarc of shop.test from 192.0.2.131, delivered, alignment -, signed -, 2026-01-02T02:09:00.000Z, <0101@office.test>',
    ],
  },
  {
    file: 'netease-base64-failure.eml',
    receiver: 'NetEase',
    quirk: 'multipart/mixed, the fields in base64 and with a name of a file, no Auth-Failure',
    source: `${PARSEDMARC}/blob/49387d903306cbb924c64b0e5931156fc6dbebff/samples/forensic/[Netease%20DMARC%20Failure%20Report]%20Rent%20Reminder.eml`,
    figures: [
      'failure unknown of shop.test from 192.0.2.132, delivered, alignment spf,dkim, signed mailer.test, 2026-01-02T08:48:42.000Z, <oguVx1@mailer.test>',
    ],
  },
  {
    file: 'gateway-policy-failure.eml',
    receiver: 'Symantec Messaging Gateway',
    quirk:
      'another result of the delivery, a Message-ID with a blank; an empty line before the fields and an address literal (ours)',
    source: `${PARSEDMARC}/blob/b52a1318594307ce3fbe0b94710580d49705d063/samples/failure/DMARC%20Failure%20Report%20for%20domain.de%20(mail-from=sharepoint@domain.de,%20ip=10.10.10.10).eml`,
    figures: [
      'failure dmarc of shop.test from 2001:db8::10, smg-policy-action, alignment -, signed -, 2026-01-02T09:20:27.000Z, -',
    ],
  },
  {
    file: 'exim-plain-failure.eml',
    receiver: 'gateways with Exim (Baruwa, cPanel)',
    quirk: 'words for people alone, and no fields: it is no report',
    source: `${PARSEDMARC}/issues/332`,
    figures: [],
  },
];
