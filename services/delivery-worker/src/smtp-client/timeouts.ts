/** Timeouts of the replies, milliseconds. */
export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly bannerMs: number;
  /** EHLO, HELO, STARTTLS, the TLS handshake, AUTH */
  readonly greetingMs: number;
  /** MAIL, RCPT, RSET */
  readonly envelopeMs: number;
  /** DATA, each piece of the message, the reply to the final dot */
  readonly dataMs: number;
  readonly quitMs: number;
  /** between our goodbye and the end of the socket, whether the server closes or not */
  readonly goodbyeMs: number;
}

/** Spec 2-messages §14.2. Nothing depends on the reply to QUIT. */
export const SMTP_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  bannerMs: 60_000,
  greetingMs: 60_000,
  envelopeMs: 120_000,
  dataMs: 300_000,
  quitMs: 2_000,
  goodbyeMs: 1_000,
};
