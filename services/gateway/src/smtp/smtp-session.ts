import type { Readable } from 'node:stream';
import type { SMTPServerSession } from 'smtp-server';
import { plainIp } from '@postmesh/contracts';
import type { InboundRecipient, SmtpReply, SmtpSessionFacts } from '@postmesh/messages-contract';
import type { KnownSmtpCredential } from '@postmesh/accounts-contract';
import type { SessionState } from './smtp-listeners.rules.js';

/** A transaction between MAIL and the end of DATA. */
export interface Transaction {
  /** address of MAIL FROM; empty is the null sender */
  readonly sender: string;
  /** the parameter SMTPUTF8 (RFC 6531): addresses and headers may be in UTF-8 */
  readonly smtpUtf8: boolean;
  /** the parameter SIZE (RFC 1870) */
  readonly declaredBytes: number | undefined;
  /** by their normalised address, in the order of RCPT; inbound recipients with their target */
  readonly recipients: Map<string, InboundRecipient | undefined>;
}

/** The result of a message. */
export type DataResult = { ok: true; text: string } | { ok: false; reply: SmtpReply };

/** The state of one connection of a client. */
export class SmtpSession {
  readonly startedAt = performance.now();
  /** the credential of the login, with its facts at the last MAIL */
  credential: KnownSmtpCredential | undefined;
  transaction: Transaction | undefined;
  /** `TLSv1.3`; null in clear text */
  tls: string | null = null;
  failedLogins = 0;
  /** since the session began, or since its last message */
  commands = 0;
  unknownRecipients = 0;
  mails = 0;
  messages = 0;
  rejected = 0;
  bytes = 0;

  constructor(
    readonly id: string,
    /** its address, for limits: of IPv6 the network of its owner (/64) */
    readonly peer: string,
    private readonly facts: SMTPServerSession,
  ) {}

  get state(): SessionState {
    return { secure: this.facts.secure, loggedIn: this.credential !== undefined };
  }

  get clientIp(): string {
    return plainIp(this.facts.remoteAddress) ?? this.facts.remoteAddress;
  }

  /** as sent by the client; not checked, because many clients send a local name */
  get helo(): string {
    return this.facts.hostNameAppearsAs || '';
  }

  toFacts(): SmtpSessionFacts {
    return { id: this.id, client_ip: this.clientIp, helo: this.helo, tls: this.tls };
  }
}

/** Receives the mail of a session: as submission of the account that logged in, or for inbound recipients. */
export interface MailTaker {
  /** @returns the reply when it is not 250 */
  mail(session: SmtpSession, transaction: Transaction): Promise<SmtpReply | undefined>;
  /** Adds the recipient to the transaction. @returns the reply when it is not 250 */
  recipient(session: SmtpSession, transaction: Transaction, given: string): Promise<SmtpReply | undefined>;
  /** Reads the source to its end. @returns undefined when the client has disconnected */
  message(session: SmtpSession, transaction: Transaction, source: Readable): Promise<DataResult | undefined>;
}
