import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { endsWithin } from '@postmesh/concurrency';
import { IpNetworks, MAX_SMTP_RECIPIENTS, newId, plainIp } from '@postmesh/contracts';
import type { SmtpReply } from '@postmesh/messages-contract';
import type { Logger } from '@postmesh/observability';
import type { KeyAndCertificate } from '@postmesh/secrets';
import { stopTimes } from '@postmesh/service-host';
import { openPort, type Settings } from '@postmesh/settings';
import { loggedText } from '../refused-requests/refused-request.rules.js';
import type { RefusedRequests } from '../refused-requests/refused-requests.js';
import type { InboundMail } from './inbound/inbound-mail.js';
import type { ConnectionLimits } from './limits/connection-limits.js';
import { peerOf } from '../rate-limits/peer.rules.js';
import type { LoginAttempt, Logins } from './login/logins.js';
import { REPLIES, replyText, WITHOUT_ENHANCED } from './replies.table.js';
import { ListenerConnection, type ConnectionRules } from './smtp-connection.js';
import { proxiedClient } from './proxied-client.js';
import { mailRejection, type SmtpEndpoint } from './smtp-listeners.rules.js';
import type { SmtpMetrics } from './smtp-metrics.js';
import type { MailTaker } from './smtp-session.js';
import type { Submissions } from './submissions.js';

/** The shared parts of all listeners of a gateway. */
interface ListenerParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: SmtpMetrics;
  readonly limits: ConnectionLimits;
  readonly logins: Logins;
  readonly submissions: Submissions;
  readonly inbound: InboundMail;
  readonly refused: Pick<RefusedRequests, 'add'>;
}

export interface SmtpListenerOptions extends ListenerParts {
  readonly endpoint: SmtpEndpoint;
  /** the name in the greeting */
  readonly name: string;
  readonly tls: KeyAndCertificate;
}

// smtp-server only checks whether its timer was ever set.
const MAX_DRAIN_MS = 3_600_000;
// A load balancer writes its header with the first packet.
const PROXY_HEADER_MS = 5_000;
// For clients that do not close their connection after a 421.
const CLOSE_MS = 1_000;

type Done = (error?: Error | null, message?: string) => void;

/** Disabled commands: of other servers, obsolete, or for proxies, of which there are none. */
const NO_COMMANDS = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL', 'LHLO'];

/** One SMTP port (RFC 5321, RFC 3207, RFC 4954). */
export class SmtpListener {
  private readonly server: ListenerServer;

  constructor(private readonly options: SmtpListenerOptions) {
    const { endpoint, name, settings, tls, logger, metrics } = options;
    const labels = { listener: endpoint.role };
    const rules: ConnectionRules = {
      role: endpoint.role,
      loginMs: settings.smtpLoginSeconds * 1_000,
      idleMs: settings.smtpIdleSeconds * 1_000,
      onReply: (connection, code, text) => {
        metrics.rejections.inc({ ...labels, code: String(code) });
        this.refused(connection, { code, text });
      },
      onClose: (connection) => this.ended(connection),
    };
    this.server = new ListenerServer(rules, new IpNetworks(settings.smtpProxies), {
      ...tls,
      name,
      size: settings.messageLimitBytes,
      rejectOversized: true,
      maxRecipients: MAX_SMTP_RECIPIENTS,
      minVersion: 'TLSv1.2',
      banner: 'Postmesh',
      authMethods: ['PLAIN', 'LOGIN'],
      // the handlers below decide which commands need a login, with the codes of the contract
      authOptional: true,
      disabledCommands: [...NO_COMMANDS, ...(endpoint.role === 'inbound' ? ['AUTH'] : [])],
      hideENHANCEDSTATUSCODES: false,
      hideREQUIRETLS: true,
      disableReverseLookup: true,
      // also limits the number and the time of load balancer connections that have not sent their header
      maxClients: settings.smtpConnections,
      socketTimeout: rules.idleMs,
      logger: false,
      onSecure: (socket, session, done) => this.secured(socket, session, done),
      onAuth: (attempt, session, done) =>
        this.step(session, done, async (connection) => {
          const reply = await this.logIn(attempt, connection);
          if (reply) done(asError(reply));
          else done(null, { user: attempt.username });
        }),
      onMailFrom: (address, session, done) =>
        this.step(session, done, async (connection) => settle(done, await this.mail(address, connection))),
      onRcptTo: ({ address }, session, done) =>
        this.step(session, done, async (connection) =>
          settle(done, await this.recipient(address, connection)),
        ),
      onData: (stream, session, done) =>
        this.step(session, done, (connection) => this.data(stream, connection, done)),
    });
    this.server.admits = (socket, address) => this.admits(socket, address);
    this.server.on('error', (error) =>
      logger.debug(
        { event: 'smtp_connection.failed', err: error, listener: endpoint.role },
        'SMTP connection failed',
      ),
    );
  }

  /** @throws Error that names the setting when the port cannot be opened */
  async listen(): Promise<number> {
    const { endpoint, settings } = this.options;
    const { smtpHost: host, reusePort } = settings;
    const { server } = this.server;
    await openPort(endpoint.setting, endpoint.port, () =>
      once(server.listen({ port: endpoint.port, host, reusePort }), 'listening'),
    );
    return (server.address() as AddressInfo).port;
  }

  /** Idle sessions end at once (421), others with their transaction. */
  async close(): Promise<void> {
    if (!this.server.server.listening) return;
    const closed = once(this.server.server, 'close');
    this.server.drain();
    if (await endsWithin(closed, CLOSE_MS)) return;
    this.server.cut((connection) => connection._closing);
    // a message in progress gets its reply
    if (await endsWithin(closed, stopTimes(this.options.settings).graceMs)) return;
    this.server.cut(() => true);
    await closed;
  }

  /** Checks the limits of connections before a session begins. */
  private admits(socket: Socket, address: string): boolean {
    const { limits, logins, endpoint, metrics } = this.options;
    const peer = peerOf(plainIp(address) ?? address);
    // at a port that also accepts inbound mail, a blocked peer can still send such mail, without a login
    const blocked = endpoint.role === 'submission' && logins.isBlocked(peer);
    if (!blocked && limits.peers.tryAcquire(peer)) {
      metrics.connections.inc({ listener: endpoint.role });
      return true;
    }
    const { code, enhanced, text } = blocked ? REPLIES.tooManyFailures : REPLIES.tooManyConnections;
    metrics.refusedConnections.inc({
      listener: endpoint.role,
      reason: blocked
        ? 'blocked'
        : limits.peers.free(peer) === 0 && limits.peers.inUseOf(peer) > 0
          ? 'address'
          : 'all',
    });
    socket.on('error', () => undefined);
    socket.end(`${code} ${enhanced} ${text}\r\n`);
    socket.destroySoon();
    return false;
  }

  private secured(socket: Socket, session: SMTPServerSession, done: Done): void {
    const connection = this.server.connectionOf(session);
    if (connection && socket instanceof TLSSocket) connection.facts.tls = socket.getProtocol();
    done();
  }

  /** Runs a handler. An unexpected failure is a bug: the reply is 451, and the session continues. */
  private step(
    session: SMTPServerSession,
    done: (error: Error) => void,
    run: (connection: ListenerConnection) => Promise<void>,
  ): void {
    const connection = this.server.connectionOf(session);
    if (!connection) return done(asError(REPLIES.notStored));
    run(connection).catch((failure: unknown) => {
      this.options.logger.error(
        { event: 'smtp_command.failed', err: failure, session: session.id },
        'SMTP command failed',
      );
      done(asError(REPLIES.notStored));
    });
  }

  /** @returns undefined when it is logged in now */
  private async logIn(attempt: LoginAttempt, connection: ListenerConnection): Promise<SmtpReply | undefined> {
    const { logins, limits } = this.options;
    const login = await logins.check(attempt, connection.facts);
    if (!login.ok) return login.reply;
    const { credential } = login;
    // the client may have disconnected during the check: its permit would never be released
    if (connection._closed || !limits.credentials.tryAcquire(credential.credential_id)) {
      this.refused(connection, REPLIES.tooManyOfCredential, credential);
      return REPLIES.tooManyOfCredential;
    }
    connection.facts.credential = credential;
    connection.facts.commands = 0;
    connection.begin();
    return undefined;
  }

  private async mail(
    { address, args }: SMTPServerAddress,
    connection: ListenerConnection,
  ): Promise<SmtpReply | undefined> {
    const { facts } = connection;
    const { endpoint, settings } = this.options;
    const size = args && 'SIZE' in args ? Number(args.SIZE) : undefined;
    const smtpUtf8 = Boolean(args && 'SMTPUTF8' in args);
    const transaction = { sender: address, smtpUtf8, declaredBytes: size, recipients: new Map() };
    const rejection =
      mailRejection(endpoint.role, facts.state) ??
      (facts.mails >= settings.smtpMessagesPerSession ? REPLIES.tooManyMessages : undefined) ??
      (await this.takerOf(connection).mail(facts, transaction));
    facts.transaction = rejection ? undefined : transaction;
    if (rejection) return rejection;
    facts.mails += 1;
    connection.begin();
    return undefined;
  }

  private async recipient(address: string, connection: ListenerConnection): Promise<SmtpReply | undefined> {
    const { facts } = connection;
    return facts.transaction
      ? this.takerOf(connection).recipient(facts, facts.transaction, address)
      : REPLIES.notStored;
  }

  private async data(
    stream: SMTPServerDataStream,
    connection: ListenerConnection,
    done: Done,
  ): Promise<void> {
    const { facts } = connection;
    const { transaction } = facts;
    facts.transaction = undefined;
    const result = transaction && (await this.takerOf(connection).message(facts, transaction, stream));
    if (result?.ok) {
      facts.commands = 0;
      return done(null, `2.0.0 ${result.text}`);
    }
    const reply = result?.reply ?? REPLIES.notStored;
    // smtp-server would wait for the end of a message that never ends
    if (reply.code === 421) connection.say(reply);
    else done(asError(reply));
  }

  /** Submission after a login, else inbound mail: nothing is relayed without a login. */
  private takerOf({ facts }: ListenerConnection): MailTaker {
    return facts.credential ? this.options.submissions : this.options.inbound;
  }

  /** For the request log of the account that has logged in; the end of an idle session is no refused command. */
  private refused(
    { facts, session, verb, isIdle }: ListenerConnection,
    { code, text }: SmtpReply,
    credential = facts.credential,
  ): void {
    if (!credential || (code === 421 && isIdle)) return;
    this.options.refused.add(credential.account_id, () => ({
      id: newId(),
      at: new Date().toISOString(),
      protocol: 'smtp',
      key_id: credential.credential_id,
      method: verb,
      operation: null,
      path: null,
      status: code,
      message: loggedText(text.replace(WITHOUT_ENHANCED, ''), 500),
      request_id: session.id,
      client_ip: facts.clientIp,
      user_agent: loggedText(facts.helo, 300),
      duration_ms: null,
    }));
  }

  private ended(connection: ListenerConnection): void {
    const { endpoint, logger, metrics, limits } = this.options;
    const { facts, session } = connection;
    limits.peers.release(facts.peer);
    if (facts.credential) limits.credentials.release(facts.credential.credential_id);
    metrics.connections.dec({ listener: endpoint.role });
    metrics.sessions.inc({ listener: endpoint.role, tls: String(session.secure) });
    logger.info(
      {
        event: 'smtp_session.ended',
        session: session.id,
        listener: endpoint.role,
        client_ip: facts.clientIp,
        helo: facts.helo || undefined,
        tls: facts.tls ?? false,
        account: facts.credential?.account_id,
        credential: facts.credential?.credential_id,
        failed_logins: facts.failedLogins,
        transactions: facts.mails,
        messages: facts.messages,
        rejected: facts.rejected,
        bytes: facts.bytes,
        ms: Math.round(performance.now() - facts.startedAt),
        last_error: session.error,
      },
      'SMTP session ended',
    );
  }
}

/** A reply as the error that smtp-server expects from a handler. */
const asError = (reply: SmtpReply): Error & { responseCode: number } =>
  Object.assign(new Error(replyText(reply)), { responseCode: reply.code });

function settle(done: Done, rejection: SmtpReply | undefined): void {
  done(rejection ? asError(rejection) : null);
}

/** smtp-server with connections of class ListenerConnection. */
class ListenerServer extends SMTPServer {
  admits: (socket: Socket, address: string) => boolean = () => true;
  private readonly bySession = new WeakMap<SMTPServerSession, ListenerConnection>();
  /** until their sockets are closed; smtp-server forgets them sooner */
  private readonly open = new Set<ListenerConnection>();
  private stopping = false;

  constructor(
    private readonly rules: ConnectionRules,
    /** load balancers, whose connections begin with a PROXY protocol header */
    private readonly proxies: IpNetworks,
    options: ConstructorParameters<typeof SMTPServer>[0],
  ) {
    super(options);
  }

  connectionOf(session: SMTPServerSession): ListenerConnection | undefined {
    return this.bySession.get(session);
  }

  /** smtp-server's own list knows addresses, not networks. */
  override _expectsProxyHeader(socket: Socket): boolean {
    const address = plainIp(socket.remoteAddress ?? '');
    return address !== undefined && this.proxies.covers(address);
  }

  /** smtp-server's own reader knows version 1 only. */
  override _handleProxy(...[socket, callback]: Parameters<SMTPServer['_handleProxy']>): void {
    if (!this._expectsProxyHeader(socket)) return super._handleProxy(socket, callback);
    const id = newId();
    proxiedClient(socket, PROXY_HEADER_MS).then(
      (client) => callback(null, { id, ...(client && { remoteAddress: client.address }) }),
      (failure: Error) => {
        this._onError(failure);
        callback(failure);
      },
    );
    return undefined;
  }

  override connect(socket: Socket | TLSSocket, socketOptions?: SMTPConnectionOptions | null): void {
    const address = socketOptions?.remoteAddress ?? socket.remoteAddress ?? '';
    // a session on a closed socket would never end
    if (socket.destroyed || !this.admits(socket, address)) return;
    const connection = new ListenerConnection(this, socket, socketOptions ?? undefined, this.rules);
    this.bySession.set(connection.session as SMTPServerSession, connection);
    this.connections.add(connection);
    this.open.add(connection);
    connection._socket.once('close', () => this.open.delete(connection));
    connection.on('error', (failure) => this._onError(failure));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
    if (this.stopping) connection.say(REPLIES.stopping);
  }

  drain(): void {
    this.stopping = true;
    // smtp-server's own flag of a stop, which the next command of every session checks
    this._closeTimeout = setTimeout(() => undefined, MAX_DRAIN_MS).unref();
    this.server.close();
    for (const socket of this._pendingSockets.values()) socket.destroy();
    for (const connection of this.open) if (connection.isIdle) connection.say(REPLIES.stopping);
  }

  cut(which: (connection: ListenerConnection) => boolean): void {
    for (const connection of this.open) {
      if (!which(connection)) continue;
      if (!connection._closing) connection.say(REPLIES.stopping);
      connection._socket.destroy();
    }
  }
}
