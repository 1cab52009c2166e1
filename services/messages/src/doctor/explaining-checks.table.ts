import type { DoctorCheckId } from '@postmesh/domains-contract';

/** A reply that a check of the doctor explains. The first row that fits decides. */
export interface ExplainingRow {
  check: DoctorCheckId;
  /** provider of the host that replied; left out: any */
  provider?: readonly string[];
  /** subject and detail of the enhanced status code, as `7.26` or `7.20-26`; left out: any */
  enhanced?: readonly string[];
  /** words of the reply; left out: any */
  says?: string;
  because: string;
  sample: string;
  /** a reply that this row leaves to others */
  not: string;
}

const { raw } = String;
const GOOGLE = ['google'];
const MICROSOFT = ['outlook', 'm365', 'm365-dane'];
const YAHOO = ['yahoo'];

const GOOGLE_CODES = 'support.google.com/a/answer/3726730, support.google.com/a/answer/81126';
const MICROSOFT_CODES = 'learn.microsoft.com, non-delivery reports';
const YAHOO_CODES = 'senders.yahooinc.com/smtp-error-codes';

export const EXPLAINING_ROWS: readonly ExplainingRow[] = [
  {
    check: 'ptr',
    provider: GOOGLE,
    enhanced: ['7.23', '7.25'],
    because: GOOGLE_CODES,
    sample: '550 5.7.25 The IP address sending this message does not have a PTR record',
    not: '550 5.7.26 This mail has been blocked because the sender is unauthenticated',
  },
  {
    check: 'spf',
    provider: GOOGLE,
    enhanced: ['7.24', '7.27'],
    because: GOOGLE_CODES,
    sample: '421 4.7.27 Your email has been rate limited because SPF authentication didn’t pass',
    not: '421 4.7.30 Your email has been rate limited because DKIM authentication didn’t pass',
  },
  {
    check: 'alignment',
    provider: GOOGLE,
    enhanced: ['7.26', '7.1'],
    says: raw`\bDMARC\b`,
    because: GOOGLE_CODES,
    sample: "550 5.7.26 Unauthenticated email from shop.test is not accepted due to domain's DMARC policy",
    not: '550 5.7.40 The domain has no DMARC record',
  },
  {
    check: 'dkim',
    provider: GOOGLE,
    enhanced: ['7.26', '7.30'],
    because: `${GOOGLE_CODES}: neither SPF nor DKIM, of which DKIM survives forwarding`,
    sample: '550 5.7.26 This mail has been blocked because the sender is unauthenticated',
    not: '550 5.7.28 There is an unusual rate of unsolicited mail',
  },
  {
    check: 'dmarc',
    provider: GOOGLE,
    enhanced: ['7.31', '7.40'],
    because: GOOGLE_CODES,
    sample: '550 5.7.40 The sending domain has no DMARC record',
    not: '421 4.7.32 The From: header is not aligned',
  },
  {
    check: 'alignment',
    provider: GOOGLE,
    enhanced: ['7.32'],
    because: GOOGLE_CODES,
    sample: '421 4.7.32 Your email has been rate limited because the From: header is not aligned',
    not: '421 4.7.31 The sending domain has no DMARC policy',
  },
  {
    check: 'tls',
    provider: GOOGLE,
    enhanced: ['7.0', '7.29'],
    says: raw`\bTLS\b`,
    because: GOOGLE_CODES,
    sample: '421 4.7.29 Your email has been rate limited because it was not sent over a TLS connection',
    not: '421 4.7.0 Try again later, closing connection',
  },
  {
    check: 'complaints',
    provider: GOOGLE,
    enhanced: ['7.0', '7.1', '7.28'],
    says: raw`\b(?:unsolicited|low reputation)\b`,
    because: `${GOOGLE_CODES}: reputation follows what recipients report`,
    sample: '550 5.7.28 There is an unusual rate of unsolicited mail originating from your IP address',
    not: '421 4.7.28 Gmail has detected an unusual rate of mail with the same Message-ID header',
  },
  {
    check: 'spf',
    provider: MICROSOFT,
    enhanced: ['7.515'],
    says: raw`\bSPF ?= ?Fail\b`,
    because: `${MICROSOFT_CODES}: 5.7.515 may name the results`,
    sample:
      '550 5.7.515 Access denied, sending domain shop.test does not meet the required level. Spf= Fail , Dkim= Pass , DMARC= Fail',
    not: '550 5.7.515 Access denied, sending domain shop.test does not meet the required level. Spf= Pass , Dkim= Fail , DMARC= Pass',
  },
  {
    check: 'dkim',
    provider: MICROSOFT,
    enhanced: ['7.515'],
    says: raw`\bDKIM ?= ?Fail\b`,
    because: `${MICROSOFT_CODES}: 5.7.515 may name the results`,
    sample:
      '550 5.7.515 Access denied, sending domain shop.test does not meet the required level. Spf= Pass , Dkim= Fail , DMARC= Pass',
    not: '550 5.7.515 Access denied, sending domain shop.test does not meet the required authentication level',
  },
  {
    check: 'alignment',
    provider: MICROSOFT,
    enhanced: ['7.509', '7.515'],
    because: `${MICROSOFT_CODES}: SPF, DKIM and DMARC of the domain of From`,
    sample:
      '550 5.7.515 Access denied, sending domain shop.test does not meet the required authentication level',
    not: '550 5.7.511 Access denied, banned sender[198.51.100.7]',
  },
  {
    check: 'address_lists',
    provider: MICROSOFT,
    enhanced: ['7.511', '7.606-649'],
    because: `${MICROSOFT_CODES}: their own list of addresses`,
    sample: '550 5.7.606 Access denied, banned sending IP [198.51.100.7]',
    not: '550 5.7.650 Access denied',
  },
  {
    check: 'address_lists',
    provider: MICROSOFT,
    says: raw`\bS31[45]0\b|\bour block list\b`,
    because: `${MICROSOFT_CODES}: S3140, S3150`,
    sample:
      "550 5.7.1 Unfortunately, messages from [198.51.100.7] weren't sent, part of their network is on our block list (S3150)",
    not: "550 5.7.1 Unfortunately, messages from [198.51.100.7] weren't sent",
  },
  {
    check: 'complaints',
    provider: MICROSOFT,
    says: raw`\bdue to IP reputation\b|\bRP-003\b`,
    because: `${MICROSOFT_CODES}: reputation follows what recipients report`,
    sample:
      '451 4.7.650 The mail server [198.51.100.7] has been temporarily rate limited due to IP reputation (S775)',
    not: '451 4.7.500 Server busy. Please try again later from [198.51.100.7]',
  },
  {
    check: 'complaints',
    provider: YAHOO,
    says: raw`\buser complaints\b`,
    because: YAHOO_CODES,
    sample:
      '421 4.7.0 [TSS04] Messages from 198.51.100.7 temporarily deferred due to unexpected volume or user complaints',
    not: '421 4.7.0 [TSS05] Messages from 198.51.100.7 temporarily deferred',
  },
  {
    check: 'alignment',
    provider: YAHOO,
    enhanced: ['7.9'],
    says: raw`authenticat|\bDMARC\b`,
    because: YAHOO_CODES,
    sample: '550 5.7.9 This mail has been blocked because the sender is unauthenticated',
    not: '554 5.7.9 Message not accepted for policy reasons',
  },
  {
    check: 'domain_lists',
    says: raw`\b(?:dbl\.spamhaus|surbl\.org|uribl\.com)\b`,
    because: 'lists of names that negative replies name',
    sample: '554 5.7.1 Service unavailable; Sender address [news@shop.test] blocked using dbl.spamhaus.org',
    not: '554 5.7.1 Service unavailable; Client host [198.51.100.7] blocked using zen.spamhaus.org',
  },
  {
    check: 'address_lists',
    says: raw`\b(?:blocked|listed|found) (?:using|by|in|on|at) \S{1,100}\.[a-z]{2,10}\b|\b(?:spamhaus|spamcop|barracudacentral|sorbs|dnsbl|rbl)\b`,
    because: 'Postfix reject_rbl_client, and the names of lists',
    sample: '554 5.7.1 Service unavailable; Client host [198.51.100.7] blocked using zen.spamhaus.org',
    not: '550 5.7.1 Message blocked',
  },
  {
    check: 'ptr',
    enhanced: ['7.25'],
    because: 'RFC 7372 §3.3',
    sample: '550 5.7.25 Reverse DNS validation failed',
    not: '550 5.7.26 Multiple authentication checks failed',
  },
  {
    check: 'ptr',
    says: raw`\breverse (?:DNS|hostname|lookup)\b|\bPTR\b|\brDNS\b`,
    because: 'Postfix reject_unknown_client_hostname and its like',
    sample: '450 4.7.1 Client host rejected: cannot find your reverse hostname, [198.51.100.7]',
    not: '450 4.7.1 Client host rejected: try again later',
  },
  {
    check: 'dkim',
    enhanced: ['7.20-21'],
    because: 'RFC 7372 §3.1: no passing, or no acceptable DKIM signature',
    sample: '550 5.7.20 No passing DKIM signature found',
    not: '550 5.7.22 No valid author-matched DKIM signature found',
  },
  {
    check: 'alignment',
    enhanced: ['7.22', '7.26'],
    because: 'RFC 7372 §3.1, §3.3: no signature of the author, several checks failed',
    sample: '550 5.7.22 No valid author-matched DKIM signature found',
    not: '550 5.7.21 No acceptable DKIM signature found',
  },
  {
    check: 'spf',
    enhanced: ['7.23-24'],
    because: 'RFC 7372 §3.2',
    sample: '550 5.7.23 SPF validation failed',
    not: '550 5.7.25 Reverse DNS validation failed',
  },
  {
    check: 'tls',
    enhanced: ['7.10', '7.30'],
    says: raw`\b(?:TLS|encrypt)`,
    because: 'RFC 5248, RFC 8689: encryption is needed',
    sample: '530 5.7.10 Encryption needed',
    not: '550 5.7.30 REQUIRED',
  },
  {
    check: 'alignment',
    says: raw`\bDMARC\b`,
    because: 'words of receivers that check DMARC',
    sample: '550 5.7.1 Rejected by the DMARC policy of shop.test',
    not: '550 5.7.1 Rejected by policy',
  },
  {
    check: 'spf',
    says: raw`\bSPF\b`,
    because: 'words of receivers that check SPF',
    sample: '550 5.7.1 SPF check failed: 198.51.100.7 is not allowed to send from shop.test',
    not: '550 5.7.1 check failed',
  },
  {
    check: 'dkim',
    says: raw`\bDKIM\b`,
    because: 'words of receivers that check DKIM',
    sample: '550 5.7.1 DKIM signature verification failed',
    not: '550 5.7.1 signature verification failed',
  },
  {
    check: 'tls',
    says: raw`\bmust issue a STARTTLS\b|\bTLS (?:is )?required\b`,
    because: 'RFC 3207 §4',
    sample: '530 5.7.0 Must issue a STARTTLS command first',
    not: '530 5.7.0 Authentication required',
  },
];
