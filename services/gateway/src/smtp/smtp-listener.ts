import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SMTPServerDataStream, SMTPServerError, SMTPServerSession } from 'smtp-server';
import { plainIp } from '@postmesh/contracts';
import type { Logger, Metrics } from '@postmesh/observability';
import type { KeyAndCertificate } from '@postmesh/secrets';
import { DoorServer } from './door-connection.js';
import {
  mailRejection,
  recipientRejection,
  type SessionState,
  type SmtpDoor,
  type SmtpRejection,
} from './smtp-doors.rules.js';

export interface SmtpListenerOptions {
  door: SmtpDoor;
  host: string;
  /** the name in the greeting */
  name: string;
  /** largest message, bytes */
  size: number;
  tls: KeyAndCertificate;
  logger: Logger;
  metrics: Metrics;
}

const MOST_CLIENTS = 1_000;
// RFC 5321 §4.5.3.2 asks a server to wait five minutes for the next command.
const IDLE_MS = 300_000;
const CLOSE_MS = 2_000;

type Done = (error?: Error | null) => void;

/** One SMTP port (RFC 5321, RFC 3207, RFC 4954). */
export class SmtpListener {
  private readonly server: DoorServer;
  private readonly sessions;

  constructor(private readonly options: SmtpListenerOptions) {
    const { door, name, size, tls, logger, metrics } = options;
    this.sessions = metrics.counter('postmesh_smtp_sessions_total', 'SMTP sessions of clients', [
      'door',
      'tls',
    ]);
    this.server = new DoorServer({
      ...tls,
      name,
      size,
      minVersion: 'TLSv1.2',
      banner: 'Postmesh',
      authMethods: ['PLAIN', 'LOGIN'],
      // who must log in is decided per command below, with the right codes
      authOptional: true,
      disabledCommands: door.role === 'inbound' ? ['AUTH'] : [],
      hideENHANCEDSTATUSCODES: false,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      maxClients: MOST_CLIENTS,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_MS,
      logger: false,
      onAuth: (_auth, _session, done) => done(unavailable()),
      onMailFrom: (_address, session, done) => settle(done, mailRejection(door.role, stateOf(session))),
      onRcptTo: (_address, session, done) => settle(done, recipientRejection(stateOf(session))),
      onData: (stream, _session, done) => refuseMessage(stream, done),
      onClose: (session) => this.ended(session),
    });
    this.server.on('error', (error) => logger.debug({ err: error, door: door.role }, 'smtp connection'));
  }

  /** @throws Error that names the setting when the port cannot be had */
  async listen(): Promise<number> {
    const { door, host } = this.options;
    try {
      await once(this.server.listen(door.port, host), 'listening');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${door.setting}: ${reason}`, { cause: error });
    }
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }

  private ended(session: SMTPServerSession): void {
    const { door, logger } = this.options;
    this.sessions.inc({ door: door.role, tls: String(session.secure) });
    logger.info(
      {
        session: session.id,
        door: door.role,
        client_ip: plainIp(session.remoteAddress) ?? session.remoteAddress,
        helo: session.hostNameAppearsAs || undefined,
        tls: session.secure,
        refused_with: session.error,
      },
      'smtp session',
    );
  }
}

const stateOf = (session: SMTPServerSession): SessionState => ({
  secure: session.secure,
  loggedIn: Boolean(session.user),
});

/** There are no SMTP credentials to check against: true for every login, and not for ever (454 4.7.0). */
const unavailable = (): SMTPServerError => replyWith({ code: 454, text: 'Temporary authentication failure' });

function settle(done: Done, apiError: SmtpRejection | undefined): void {
  done(apiError ? replyWith(apiError) : null);
}

function replyWith({ code, text }: SmtpRejection): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}

/** 250 would promise that the message is kept (architecture §1): nothing here can keep one. */
function refuseMessage(stream: SMTPServerDataStream, done: Done): void {
  stream.resume();
  stream.once('end', () => done(replyWith({ code: 451, text: 'Messages cannot be taken now' })));
}
