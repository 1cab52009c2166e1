/** How long each answer may take, milliseconds. */
export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly bannerMs: number;
  /** EHLO, HELO, STARTTLS, the TLS handshake, AUTH */
  readonly greetingMs: number;
  /** MAIL, RCPT, RSET */
  readonly envelopeMs: number;
  /** DATA, each stretch of the message, the answer to the final dot */
  readonly dataMs: number;
  readonly quitMs: number;
}

/** Spec 2-messages §14.2. QUIT is courtesy: nothing depends on its answer. */
export const SMTP_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  bannerMs: 60_000,
  greetingMs: 60_000,
  envelopeMs: 120_000,
  dataMs: 300_000,
  quitMs: 2_000,
};
