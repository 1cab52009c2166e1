import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';

const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
// No control characters: what does not fit is left to smtp-server, which refuses it.
const QUOTED_PATH = /^((?:MAIL FROM|RCPT TO):\s*<)("(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*")(@.*)$/isu;

type Address = ReturnType<SMTPConnection['_parseAddressCommand']>;

/** One client: greeted at once, its quoted local parts understood, our status codes left as they are. */
class SinkConnection extends SMTPConnection {
  /** Greets without the 100 ms in which smtp-server waits for clients that talk too soon: ours may reconnect often. */
  override init(): void {
    this._setListeners(() => {
      const { maxClients } = this._server.options;
      if (maxClients !== undefined && this._server.connections.size > maxClients) {
        this.send(421, `${this.name} too many connections, try again in a moment`, false);
      } else {
        this.connectionReady();
      }
    });
  }

  cut(): void {
    // Destroying the socket during a TLS handshake can crash Node; such a client is rejected right after it.
    if (!this._upgrading) this._socket.destroy();
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const ownCode = typeof data === 'string' && ENHANCED_CODE.test(data);
    super.send(code, data, ownCode ? false : context);
  }

  /** smtp-server splits commands at blanks and at `@`; a quoted local part (RFC 5321 §4.1.2) may hold both. */
  override _parseAddressCommand(name: string, command: Buffer | string): Address {
    const quoted = QUOTED_PATH.exec(command.toString());
    if (quoted === null) return super._parseAddressCommand(name, command);
    const [, before = '', localPart = '', after = ''] = quoted;
    const parsed = super._parseAddressCommand(name, `${before}quoted${after}`);
    return parsed === false
      ? false
      : { ...parsed, address: parsed.address.replace(/^quoted/, () => localPart) };
  }
}

/** smtp-server with our connections, each of which can be cut. */
export class SinkServer extends SMTPServer {
  private readonly sessions = new Map<string, SinkConnection>();

  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new SinkConnection(this, socket, socketOptions ?? undefined);
    this.sessions.set(connection.id, connection);
    socket.once('close', () => this.sessions.delete(connection.id));
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
  }

  /** Ends a connection as a crash would: no reply, no QUIT. */
  cut(sessionId: string): void {
    this.sessions.get(sessionId)?.cut();
  }

  cutAll(): void {
    for (const session of this.sessions.values()) session.cut();
  }
}
