import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { loginRejection } from './smtp-doors.rules.js';

/** smtp-server offers AUTH before STARTTLS, and refuses it there with a code that no RFC has. */
class DoorConnection extends SMTPConnection {
  private greeting = false;

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
    const apiError = loginRejection({ secure: this.secure, loggedIn: Boolean(this.session.user) });
    if (!apiError) {
      super.handler_AUTH(command, callback);
      return;
    }
    this.send(apiError.code, apiError.text);
    callback();
  }
}

/** smtp-server with our connections. */
export class DoorServer extends SMTPServer {
  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new DoorConnection(this, socket, socketOptions ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
  }
}
