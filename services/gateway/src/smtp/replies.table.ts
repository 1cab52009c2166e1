import type { SmtpReply } from '@postmesh/messages-contract';

const reply = (code: number, enhanced: string, text: string): SmtpReply => ({ code, enhanced, text });

/** Replies of the listeners (spec 2-messages §13.6), apart from those that other services decide. */
export const REPLIES = {
  tlsFirst: reply(530, '5.7.0', 'Must issue a STARTTLS command first'),
  logInFirst: reply(530, '5.7.0', 'Authentication required'),
  wrongCredentials: reply(535, '5.7.8', 'Authentication credentials invalid'),
  loginUnavailable: reply(454, '4.7.0', 'Temporary authentication failure'),
  loginGone: reply(421, '4.7.0', 'The SMTP credential of this session was deleted'),
  tooManyFailures: reply(421, '4.7.0', 'Too many failed logins, try again later'),
  noLoginInTransaction: reply(503, '5.5.1', 'No authentication during a mail transaction'),
  badBase64: reply(501, '5.5.2', 'Cannot decode the base64 of the response'),
  tooManyCommands: reply(421, '4.7.0', 'Too many commands without a message'),
  tooManyConnections: reply(421, '4.3.2', 'Too many connections, try again later'),
  tooManyOfCredential: reply(421, '4.3.2', 'Too many connections of this SMTP credential, try again later'),
  loginTooLate: reply(421, '4.4.2', 'Timeout - closing connection'),
  notABalancer: reply(421, '4.7.0', 'PROXY protocol header from an address that may not send one'),
  stopping: reply(421, '4.3.2', 'Service is stopping, try again'),
  tooManyMessages: reply(451, '4.5.3', 'Too many messages in this session, connect again'),
  badSender: reply(501, '5.1.7', 'Bad sender address syntax'),
  badRecipient: reply(501, '5.1.3', 'Bad recipient address syntax'),
  needsSmtpUtf8: reply(553, '5.6.7', 'The address needs the parameter SMTPUTF8 of MAIL FROM'),
  ipLiteral: reply(501, '5.1.3', 'Addresses with an IP address literal are not accepted'),
  noSuchRecipient: reply(550, '5.1.1', 'No such recipient here'),
  tooManyUnknown: reply(421, '4.7.0', 'Too many unknown recipients'),
  tooFast: reply(451, '4.7.0', 'Too much mail from this address, try again later'),
  tooLarge: reply(552, '5.3.4', 'Message exceeds the fixed maximum message size'),
  largerThanSaid: reply(552, '5.3.4', 'Message is larger than its SIZE'),
  malformed: reply(552, '5.6.0', 'Message has a bare CR, a bare LF or a NUL'),
  endless: reply(421, '4.3.2', 'Message does not end'),
  dataTooSlow: reply(421, '4.4.2', 'Message took too long'),
  notStored: reply(451, '4.3.0', 'Temporary server error, try again later'),
  notImplemented: reply(502, '5.5.1', 'Command not implemented'),
} as const satisfies Record<string, SmtpReply>;

/** smtp-server writes this instead of a text without enhanced code; no reply has control characters. */
export const WITHOUT_ENHANCED = '\u0001';

/** The text of a reply in the form that smtp-server expects from a handler: the enhanced code comes first. */
export const replyText = ({ enhanced, text }: SmtpReply): string =>
  enhanced === undefined ? `${WITHOUT_ENHANCED}${text}` : `${enhanced} ${text}`;

/**
 * Replies of smtp-server 3.21.6 itself for which the contract or the RFC has another text: its text, and the reply that
 * is sent instead.
 */
export const OWN_TEXTS: Readonly<Record<string, SmtpReply>> = {
  'Timeout - closing connection': reply(421, '4.4.2', 'Timeout - closing connection'),
  'Server shutting down': REPLIES.stopping,
  'Error: too many recipients': reply(452, '4.5.3', 'Too many recipients'),
  'Error: too many unrecognized commands': reply(421, '4.7.0', 'Too many unrecognized commands'),
  'Error: Command line too long': reply(421, '4.5.2', 'Command line too long'),
  'Error: invalid userdata': reply(501, '5.5.2', 'Cannot read the authentication response'),
  'Error: missing username': reply(501, '5.5.2', 'Cannot read the authentication response'),
  'Error: need RCPT command': reply(503, '5.5.1', 'Need RCPT before DATA'),
  'Error: need MAIL command': reply(503, '5.5.1', 'Need MAIL before RCPT'),
};
