import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerError,
  type SMTPServerSession,
} from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { plainIp } from '@postmesh/contracts';
import type { Logger, Metrics } from '@postmesh/observability';
import type { KeyAndCertificate } from '@postmesh/secrets';
import {
  loginRejection,
  mailRejection,
  recipientRejection,
  type SessionState,
  type SmtpEndpoint,
  type SmtpRejection,
} from './smtp-listeners.rules.js';

export interface SmtpListenerOptions {
  endpoint: SmtpEndpoint;
  host: string;
  /** the name in the greeting */
  name: string;
  /** largest message, bytes */
  size: number;
  tls: KeyAndCertificate;
  logger: Logger;
  metrics: Metrics;
}

const MAX_CLIENTS = 1_000;
// RFC 5321 §4.5.3.2 asks a server to wait five minutes for the next command.
const IDLE_MS = 300_000;
const CLOSE_MS = 2_000;

type Done = (error?: Error | null) => void;

/** One SMTP port (RFC 5321, RFC 3207, RFC 4954). */
export class SmtpListener {
  private readonly server: ListenerServer;
  private readonly sessions;

  constructor(private readonly options: SmtpListenerOptions) {
    const { endpoint, name, size, tls, logger, metrics } = options;
    this.sessions = metrics.counter('postmesh_smtp_sessions_total', 'SMTP sessions of clients', [
      'listener',
      'tls',
    ]);
    this.server = new ListenerServer({
      ...tls,
      name,
      size,
      minVersion: 'TLSv1.2',
      banner: 'Postmesh',
      authMethods: ['PLAIN', 'LOGIN'],
      // who must log in is decided per command below, with the right codes
      authOptional: true,
      disabledCommands: endpoint.role === 'inbound' ? ['AUTH'] : [],
      hideENHANCEDSTATUSCODES: false,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      maxClients: MAX_CLIENTS,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_MS,
      logger: false,
      onAuth: (_auth, _session, done) => done(unavailable()),
      onMailFrom: (_address, session, done) => settle(done, mailRejection(endpoint.role, stateOf(session))),
      onRcptTo: (_address, session, done) => settle(done, recipientRejection(stateOf(session))),
      onData: (stream, _session, done) => rejectMessage(stream, done),
      onClose: (session) => this.ended(session),
    });
    this.server.on('error', (error) =>
      logger.debug(
        { event: 'smtp_connection.failed', err: error, listener: endpoint.role },
        'SMTP connection failed',
      ),
    );
  }

  /** @throws Error that names the setting when the port cannot be had */
  async listen(): Promise<number> {
    const { endpoint, host } = this.options;
    try {
      await once(this.server.listen(endpoint.port, host), 'listening');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${endpoint.setting}: ${reason}`, { cause: error });
    }
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }

  private ended(session: SMTPServerSession): void {
    const { endpoint, logger } = this.options;
    this.sessions.inc({ listener: endpoint.role, tls: String(session.secure) });
    logger.info(
      {
        event: 'smtp_session.ended',
        session: session.id,
        listener: endpoint.role,
        client_ip: plainIp(session.remoteAddress) ?? session.remoteAddress,
        helo: session.hostNameAppearsAs || undefined,
        tls: session.secure,
        rejected_with: session.error,
      },
      'SMTP session ended',
    );
  }
}

const stateOf = (session: SMTPServerSession): SessionState => ({
  secure: session.secure,
  loggedIn: Boolean(session.user),
});

/** There are no SMTP credentials to check against: true for every login, and not for ever (454 4.7.0). */
const unavailable = (): SMTPServerError => replyWith({ code: 454, text: 'Temporary authentication failure' });

function settle(done: Done, rejection: SmtpRejection | undefined): void {
  done(rejection ? replyWith(rejection) : null);
}

function replyWith({ code, text }: SmtpRejection): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}

/** 250 would promise that the message is kept (architecture §1): nothing here can keep one. */
function rejectMessage(stream: SMTPServerDataStream, done: Done): void {
  stream.resume();
  stream.once('end', () => done(replyWith({ code: 451, text: 'Messages cannot be taken now' })));
}

/** smtp-server offers AUTH before STARTTLS, and refuses it there with a code that no RFC has. */
class ListenerConnection extends SMTPConnection {
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
    const rejection = loginRejection({ secure: this.secure, loggedIn: Boolean(this.session.user) });
    if (!rejection) {
      super.handler_AUTH(command, callback);
      return;
    }
    this.send(rejection.code, rejection.text);
    callback();
  }
}

/** smtp-server with our connections. */
class ListenerServer extends SMTPServer {
  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const connection = new ListenerConnection(this, socket, socketOptions ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
  }
}
