import type { DialectName } from '@postmesh/settings';

/** Uses of the official SDKs of a service, unmodified, against an installation. */
interface SdkCalls {
  readonly dialect: DialectName;
  /** of npm, with the version that package.json pins */
  readonly packages: readonly string[];
  /** the names of the tests in services/all-in-one/test/contract/dialects.spec.ts, which has one for each */
  readonly calls: readonly string[];
}

export const SDK_CALLS: readonly SdkCalls[] = [
  {
    dialect: 'resend',
    packages: ['resend'],
    calls: [
      'send with an attachment and an inline image',
      'send again with the same key',
      'batch',
      'batch with an error in it, strict and permissive',
      'template',
      'schedule, read and cancel',
      'domains',
      'errors',
    ],
  },
  {
    dialect: 'postmark',
    packages: ['postmark'],
    calls: [
      'send with an attachment and an inline image',
      'batch with an error in it',
      'templates',
      'errors',
    ],
  },
  {
    dialect: 'sendgrid',
    packages: ['@sendgrid/mail', '@sendgrid/client'],
    calls: [
      'send with an attachment and an inline image',
      'send again with the same key',
      'personalizations with substitutions',
      'dynamic template',
      'schedule and sandbox',
      'suppressions',
      'errors',
    ],
  },
  {
    dialect: 'mailgun',
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
];
