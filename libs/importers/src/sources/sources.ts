import { BREVO } from './brevo.table.js';
import { LISTMONK } from './listmonk.table.js';
import { MAILCHIMP } from './mailchimp.table.js';
import { MAILGUN } from './mailgun.table.js';
import { POSTAL } from './postal.table.js';
import { POSTMARK } from './postmark.table.js';
import { RESEND } from './resend.table.js';
import { SENDGRID } from './sendgrid.table.js';
import { SES } from './ses.table.js';
import type { Source } from './source.js';

/** By the name in the command. */
export const SOURCES = {
  sendgrid: SENDGRID,
  mailgun: MAILGUN,
  postmark: POSTMARK,
  resend: RESEND,
  ses: SES,
  brevo: BREVO,
  mailchimp: MAILCHIMP,
  listmonk: LISTMONK,
  postal: POSTAL,
} as const satisfies Readonly<Record<string, Source>>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];
