import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { plainIp } from '@postmesh/contracts';
import type { SmtpReply } from '@postmesh/messages-contract';
import { maskQuotedPath } from '@postmesh/mail-format';
import { peerOf } from '../rate-limits/peer.rules.js';
import { OWN_TEXTS, REPLIES, replyText, WITHOUT_ENHANCED } from './replies.table.js';
import { loginRejection, type ListenerRole } from './smtp-listeners.rules.js';
import { SmtpSession } from './smtp-session.js';

type ParsedAddress = ReturnType<SMTPConnection['_parseAddressCommand']>;

export interface ConnectionRules {
  readonly role: ListenerRole;
  /** idle timeout before a login or a transaction, ms; the limit of all the time before it is three times as long */
  readonly loginMs: number;
  /** idle timeout after that, ms */
  readonly idleMs: number;
  /** of 400 and above */
  readonly onReply: (connection: ListenerConnection, code: number, text: string) => void;
  readonly onClose: (connection: ListenerConnection) => void;
}

// EHLO, STARTTLS, EHLO and AUTH are four, a second try of each makes eight.
const MAX_BEFORE_LOGIN = 20;
// Counted like Postfix' smtpd_junk_command_limit: a session with so many commands and no message is no mail client.
const MAX_WITHOUT_MESSAGE = 500;

const VERBS = new Set(['EHLO', 'HELO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'RSET', 'NOOP', 'VRFY']);

// A line of a PROXY protocol header, version 1 or 2: from an address that is not among POSTMESH_SMTP_PROXIES.
const PROXY_HEADER = /^(?:PROXY (?:TCP4|TCP6|UNKNOWN)\b|\0)/;
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * smtp-server 3.21.6 with further requirements of the contract and the RFCs: no AUTH before STARTTLS (neither offered
 * nor accepted), enhanced codes where it has none or others, and limits for sessions that never send a message.
 */
export class ListenerConnection extends SMTPConnection {
  readonly facts: SmtpSession;
  private lastCommand: Buffer | undefined;
  private greeting = false;
  private readonly hurry: NodeJS.Timeout;

  constructor(
    server: SMTPServer,
    socket: Socket | TLSSocket,
    options: SMTPConnectionOptions | undefined,
    private readonly rules: ConnectionRules,
  ) {
    super(server, socket, options);
    const address = plainIp(this.remoteAddress) ?? this.remoteAddress;
    this.facts = new SmtpSession(this.id, peerOf(address), this.session);
    this.hurry = setTimeout(() => {
      if (!this.hasBegun) this.say(REPLIES.loginTooLate);
    }, 3 * rules.loginMs);
    this.hurry.unref();
  }

  /** Whether neither a command nor a message is in progress. */
  get isIdle(): boolean {
    return !this._handlerPending && !this._dataStream;
  }

  /** The verb of the last command; no part of a line that is none, such as a password. */
  get verb(): string {
    const verb = this.lastCommand?.toString('latin1', 0, 5).trimEnd().toUpperCase() ?? '';
    return VERBS.has(verb) ? verb : '';
  }

  say(reply: SmtpReply): void {
    this.send(reply.code, replyText(reply));
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const own = typeof data === 'string' ? OWN_TEXTS[data] : undefined;
    if (own) return this.say(own);
    if (code >= 400) this.rules.onReply(this, code, [data ?? ''].flat().join(' '));
    if (typeof data !== 'string') super.send(code, data, context);
    else if (data.startsWith(WITHOUT_ENHANCED)) super.send(code, data.slice(1), false);
    else super.send(code, data, ENHANCED.test(data) ? false : context);
  }

  override _onClose(): void {
    clearTimeout(this.hurry);
    const first = !this._closed;
    super._onClose();
    if (first) this.rules.onClose(this);
  }

  override _armTimeout(socket: Socket = this._socket): void {
    socket.setTimeout(this.hasBegun ? this.rules.idleMs : this.rules.loginMs, () => this._onTimeout());
  }

  /** Sets the longer idle timeout, after a login or at the begin of a transaction. */
  begin(): void {
    this._socket.setTimeout(this.rules.idleMs);
  }

  private get hasBegun(): boolean {
    return this.facts.credential !== undefined || this.facts.mails > 0;
  }

  override _onCommand(command: Buffer, callback?: () => void): void {
    if (this._upgrading) return super._onCommand(command, callback);
    if (this._nextHandler && !isResponse(command)) {
      this._nextHandler = false;
      this.say(REPLIES.badBase64);
      callback?.();
      return;
    }
    if (PROXY_HEADER.test(command.toString('latin1'))) {
      this.say(REPLIES.notABalancer);
      return;
    }
    this.facts.commands += 1;
    // a line of an authentication exchange is none
    if (!this._nextHandler) this.lastCommand = command;
    const early = this.rules.role === 'submission' && !this.facts.credential;
    if (this.facts.commands > (early ? MAX_BEFORE_LOGIN : MAX_WITHOUT_MESSAGE)) {
      return this.say(REPLIES.tooManyCommands);
    }
    super._onCommand(command, callback);
  }

  override handler_EHLO(command: Buffer, callback: () => void): void {
    this.greeting = true;
    super.handler_EHLO(command, callback);
    this.greeting = false;
  }

  override _isSupported(command: string): boolean {
    if (this.greeting && command === 'AUTH' && !this.secure) return false;
    return super._isSupported(command);
  }

  override handler_AUTH(command: Buffer, callback: () => void): void {
    const rejection = loginRejection({ secure: this.secure, loggedIn: Boolean(this.session.user) });
    const initial = command.toString('latin1').trim().split(/\s+/)[2];
    const refused =
      rejection ??
      (this.session.envelope?.mailFrom ? REPLIES.noLoginInTransaction : undefined) ??
      (initial !== undefined && !BASE64.test(initial) ? REPLIES.badBase64 : undefined);
    if (!refused) return super.handler_AUTH(command, callback);
    this.say(refused);
    callback();
  }

  /** smtp-server splits commands at blanks, colons and `@`; a quoted local part (RFC 5321 §4.1.2) may hold all of them. */
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedAddress {
    const masked = maskQuotedPath(command.toString());
    const parsed = super._parseAddressCommand(name, masked?.command ?? command);
    return parsed === false || !masked ? parsed : { ...parsed, address: masked.unmask(parsed.address) };
  }

  handler_EXPN(_command: Buffer, callback: () => void): void {
    this.say(REPLIES.notImplemented);
    callback();
  }

  handler_ETRN(command: Buffer, callback: () => void): void {
    this.handler_EXPN(command, callback);
  }

  handler_BDAT(command: Buffer, callback: () => void): void {
    this.handler_EXPN(command, callback);
  }
}

/** A line of an authentication exchange: base64, or `*` to give up (RFC 4954 §4). */
function isResponse(line: Buffer): boolean {
  const text = line.toString('latin1').trim();
  return text === '*' || BASE64.test(text);
}
