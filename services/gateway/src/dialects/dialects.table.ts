import type { Dialect } from './dialect.js';
import { MAILGUN } from './mailgun/mailgun.dialect.js';
import { POSTMARK } from './postmark/postmark.dialect.js';
import { RESEND } from './resend/resend.dialect.js';
import { SES } from './ses/ses.dialect.js';
import { SENDGRID } from './sendgrid/sendgrid.dialect.js';

/** The dialects that POSTMESH_DIALECTS can name. */
export const DIALECT_TABLE: readonly Dialect[] = [RESEND, POSTMARK, SENDGRID, MAILGUN, SES];
