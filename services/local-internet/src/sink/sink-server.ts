import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { maskQuotedPath } from '@postmesh/mail-format';
import { Drip } from '../houses/drip.js';
import type { HouseTls } from '../houses/house-certificates.js';
import type { RunningHouse } from '../houses/running-house.js';

const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
/** Longer than clients wait for a greeting. */
const MAX_SILENCE_MS = 3_600_000;

type Address = ReturnType<SMTPConnection['_parseAddressCommand']>;

/** One client: greeted at once, with quoted local parts, and with our status codes unchanged. */
class SinkConnection extends SMTPConnection {
  private readonly house: RunningHouse | undefined;
  private readonly drip: Drip | undefined;
  private isLeaving = false;

  constructor(server: SinkServer, socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options);
    const { house } = server;
    this.house = house;
    if (house?.script.bytesPerSecond !== undefined) {
      this.drip = new Drip(socket, () => house.script.bytesPerSecond ?? 1);
    }
  }

  /** Greets without the 100 ms in which smtp-server waits for early talkers: our client may reconnect often. */
  override init(): void {
    const reply = this.house?.connected(this.remoteAddress, this.id);
    const { maxClients = Infinity } = this._server.options;
    const isOneTooMany = this._server.connections.size > maxClients;
    if (this.house?.script.silent) return this.sayNothing(isOneTooMany);
    this._setListeners(() => {
      if (isOneTooMany) {
        this.send(421, `${this.name} too many connections, try again in a moment`, false);
      } else if (reply !== undefined) {
        this.send(reply.code, reply.text, false);
        this.close();
      } else {
        this.connectionReady();
      }
    });
  }

  cut(): void {
    // Destroying the socket during a TLS handshake can crash Node; such a client is rejected right after it.
    if (this._upgrading || this._socket.destroyed) return;
    this.house?.wasCut(this.remoteAddress, this.id);
    this._socket.destroy();
  }

  /** Closes the connection after the next reply; pipelined commands get no reply. */
  leaveAfterReply(): void {
    this.isLeaving = true;
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    this.say(code, data, context);
    if (this.isLeaving) this.close();
  }

  private say(code: number, data?: string | string[] | null, context?: string | false): void {
    const lines = typeof data === 'string' && data.includes('\n') ? data.split('\n') : data;
    const ownCode = typeof data === 'string' && ENHANCED_CODE.test(data);
    if (this.drip) return this.sayInDrips(code, lines);
    const more = this.house?.script.replyLines;
    if (more === undefined) return super.send(code, lines, ownCode ? false : context);
    // One byte each: not UTF-8.
    this._socket.setDefaultEncoding('latin1');
    const [first = '', ...rest] = [lines ?? ''].flat();
    const between = Array.from(
      { length: Math.max(0, more - 1 - rest.length) },
      (_, at) => `X-LINE ${at} größer`,
    );
    return super.send(code, [first, ...between, ...rest], ownCode ? false : context);
  }

  override handler_EHLO(command: Buffer, callback: () => void): void {
    this._server.options.hideSMTPUTF8 = this.house?.script.smtpUtf8 === false;
    super.handler_EHLO(command, callback);
  }

  override handler_STARTTLS(command: Buffer, callback: () => void): void {
    const tls = this.house?.script.tls;
    if (tls === 'refused') {
      this.send(454, '4.7.0 TLS is not available now');
      return callback();
    }
    if (tls !== 'injected') return super.handler_STARTTLS(command, callback);
    // A client must not treat the second reply as one under TLS (RFC 3207 §6).
    this._socket.write('220 2.0.0 Ready to start TLS\r\n250 2.0.0 said in clear\r\n');
    return this.upgrade(callback);
  }

  /** smtp-server splits commands at blanks and at `@`; a quoted local part (RFC 5321 §4.1.2) may hold both. */
  override _parseAddressCommand(name: string, command: Buffer | string): Address {
    const masked = maskQuotedPath(command.toString());
    const parsed = super._parseAddressCommand(name, masked?.command ?? command);
    return parsed === false || !masked ? parsed : { ...parsed, address: masked.unmask(parsed.address) };
  }

  /** Reads from the client and never replies. */
  private sayNothing(isOneTooMany: boolean): void {
    this._socket.on('error', () => this._socket.destroy());
    this._socket.on('close', () => this._onClose());
    this._socket.setTimeout(MAX_SILENCE_MS, () => this._socket.destroy());
    this._socket.resume();
    if (isOneTooMany) this._socket.destroy();
  }

  private sayInDrips(code: number, data: string | string[] | null | undefined): void {
    const lines = [data ?? ''].flat();
    const reply = lines.map((line, at) => `${code}${at < lines.length - 1 ? '-' : ' '}${line}\r\n`).join('');
    this.drip?.say(reply, code === 221 || code === 421 ? () => this._socket.destroy() : undefined);
  }
}

export interface SinkServerOptions extends SMTPServerOptions {
  /** behaviour in addition to that of the recipient's address */
  house: RunningHouse | undefined;
}

/** smtp-server with connections of our class, each of which can be cut. */
export class SinkServer extends SMTPServer {
  readonly house: RunningHouse | undefined;
  private readonly sessions = new Map<string, SinkConnection>();

  constructor({ house, ...options }: SinkServerOptions) {
    super(options);
    this.house = house;
  }

  override onClose({ id }: SMTPServerSession): void {
    const connection = this.sessions.get(id);
    if (connection && this.sessions.delete(id)) this.house?.disconnected(connection.remoteAddress, id);
  }

  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new SinkConnection(this, socket, socketOptions ?? undefined);
    this.sessions.set(connection.id, connection);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
  }

  /** Ends a connection like a crash: no reply, no QUIT. */
  cut(sessionId: string): void {
    this.sessions.get(sessionId)?.cut();
  }

  /** Ends a connection after its next reply, without a further reply. */
  leaveAfterReply(sessionId: string): void {
    this.sessions.get(sessionId)?.leaveAfterReply();
  }

  /** Sets the certificate of the next STARTTLS, or offers none. */
  useTls(tls: HouseTls, isOffered: boolean): void {
    this.options.hideSTARTTLS = !isOffered;
    this.updateSecureContext(tls);
  }

  cutAll(): void {
    for (const session of this.sessions.values()) session.cut();
  }
}
