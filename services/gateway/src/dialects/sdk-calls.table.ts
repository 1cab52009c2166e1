import type { DialectName } from '@postmesh/settings';

/** Uses of the official SDKs of a service, unmodified, against an installation. */
interface SdkCalls {
  readonly dialect: DialectName;
  readonly language: 'Node' | 'Python' | 'Go';
  /**
   * of npm, PyPI or the Go module proxy, with the version that package.json, requirements.txt or go.mod of
   * services/all-in-one/test/dialect-sdks pins
   */
  readonly packages: readonly string[];
  /** its name in the programs of services/all-in-one/test/dialect-sdks */
  readonly program?: string;
  /**
   * the names of the tests in services/all-in-one/test/contract, dialects.spec.ts for Node and dialect-sdks.spec.ts, which
   * have one for each
   */
  readonly calls: readonly string[];
}

const FILES = 'send with an attachment and an inline image';
const AGAIN = 'send again with the same key';
const RESEND_CALLS = [
  FILES,
  AGAIN,
  'batch',
  'template',
  'schedule and cancel',
  'segments and contacts',
  'errors',
];
const POSTMARK_CALLS = [FILES, 'batch', 'template', 'read templates', 'errors'];
const SENDGRID_CALLS = [
  FILES,
  AGAIN,
  'personalizations',
  'dynamic template',
  'schedule',
  'read templates',
  'errors',
];
const MAILGUN_CALLS = [FILES, AGAIN, 'recipient variables', 'template', 'schedule', 'errors'];

export const SDK_CALLS: readonly SdkCalls[] = [
  {
    dialect: 'resend',
    language: 'Node',
    packages: ['resend'],
    calls: [
      'send with an attachment and an inline image',
      'send again with the same key',
      'batch',
      'batch with an error in it, strict and permissive',
      'template',
      'schedule, read and cancel',
      'domains',
      'segments and contacts',
      'errors',
    ],
  },
  {
    dialect: 'postmark',
    language: 'Node',
    packages: ['postmark'],
    calls: [
      'send with an attachment and an inline image',
      'batch with an error in it',
      'templates',
      'read templates',
      'errors',
    ],
  },
  {
    dialect: 'sendgrid',
    language: 'Node',
    packages: ['@sendgrid/mail', '@sendgrid/client'],
    calls: [
      'send with an attachment and an inline image',
      'send again with the same key',
      'personalizations with substitutions',
      'dynamic template',
      'schedule and sandbox',
      'suppressions',
      'read templates',
      'errors',
    ],
  },
  {
    dialect: 'mailgun',
    language: 'Node',
    packages: ['mailgun.js'],
    calls: [
      'send with an attachment and an inline image',
      'schedule and test mode',
      'recipient variables',
      'template',
      'MIME',
      'errors',
    ],
  },
  {
    dialect: 'ses',
    language: 'Node',
    packages: ['@aws-sdk/client-sesv2'],
    calls: [
      'send with an attachment and an inline image',
      'raw',
      'template',
      'bulk',
      'another access key ends the first',
      'errors',
    ],
  },
  { dialect: 'resend', language: 'Python', packages: ['resend'], program: 'resend', calls: RESEND_CALLS },
  {
    dialect: 'postmark',
    language: 'Python',
    packages: ['postmarker'],
    program: 'postmarker',
    calls: POSTMARK_CALLS,
  },
  {
    dialect: 'sendgrid',
    language: 'Python',
    packages: ['sendgrid'],
    program: 'sendgrid',
    calls: SENDGRID_CALLS,
  },
  { dialect: 'mailgun', language: 'Python', packages: ['mailgun'], program: 'mailgun', calls: MAILGUN_CALLS },
  {
    dialect: 'ses',
    language: 'Python',
    packages: ['boto3'],
    program: 'ses',
    calls: [FILES, 'template', 'bulk', 'errors'],
  },
  {
    dialect: 'resend',
    language: 'Go',
    packages: ['github.com/resend/resend-go/v3'],
    program: 'resend',
    calls: RESEND_CALLS,
  },
  {
    dialect: 'postmark',
    language: 'Go',
    packages: ['github.com/mrz1836/postmark'],
    program: 'postmark',
    calls: POSTMARK_CALLS,
  },
  {
    dialect: 'sendgrid',
    language: 'Go',
    packages: ['github.com/sendgrid/sendgrid-go'],
    program: 'sendgrid',
    calls: SENDGRID_CALLS,
  },
  {
    dialect: 'mailgun',
    language: 'Go',
    packages: ['github.com/mailgun/mailgun-go/v4'],
    program: 'mailgun',
    calls: MAILGUN_CALLS,
  },
  {
    dialect: 'ses',
    language: 'Go',
    packages: ['github.com/aws/aws-sdk-go-v2/service/sesv2'],
    program: 'ses',
    calls: [FILES, AGAIN, 'raw with an attachment', 'template', 'bulk', 'errors'],
  },
];
