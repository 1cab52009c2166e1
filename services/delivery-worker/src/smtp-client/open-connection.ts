import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import type { AddressPatience } from './address-patience.js';
import { describeReply } from './smtp-outcome.js';
import type { SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { isPositive, NO_CAPABILITIES, readCapabilities } from './smtp-reply.js';
import type { Capabilities, SmtpReply } from './smtp-reply.js';
import { SmtpStream, StreamBroken } from './smtp-stream.js';
import type { TlsMemory } from './tls-memory.js';

/** How long each reply may take, milliseconds. */
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
}

/** Spec 2-messages §14.2. Nothing depends on the reply to QUIT. */
export const SMTP_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  bannerMs: 60_000,
  greetingMs: 60_000,
  envelopeMs: 120_000,
  dataMs: 300_000,
  quitMs: 2_000,
};

/** How a connection is to be secured. `implicit`: TLS from the first byte (a relay's smtps). */
type TlsMode = 'opportunistic' | 'require' | 'implicit' | 'off';

export interface OpenOptions {
  /** name of the host, for TLS and logs */
  readonly host: string;
  /** IP address */
  readonly address: string;
  readonly port: number;
  readonly ehloName: string;
  readonly tls: TlsMode;
  readonly tlsMemory: TlsMemory;
  readonly timeouts: SmtpTimeouts;
  /** remembers silent addresses; left out: each gets all the time */
  readonly patience?: AddressPatience;
  /** source address of the connection */
  readonly localAddress?: string | undefined;
  /** for a relay; only ever sent under TLS, to a host whose certificate is valid for its name */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
  /** who may have signed that certificate; the usual authorities unless given */
  readonly trust?: SecureContext | undefined;
}

export interface OpenConnection {
  readonly stream: SmtpStream;
  readonly capabilities: Capabilities;
  readonly tls: TlsInfo | undefined;
  /** IP address of the server */
  readonly address: string;
}

export interface TlsInfo {
  readonly protocol: string;
  readonly cipher: string;
  readonly resumed: boolean;
}

/** The failure is `rejected` when the host answered the greeting itself with 5xx, else `deferred`. */
type Opened =
  | { readonly ok: true; readonly connection: OpenConnection }
  | { readonly ok: false; readonly failure: SmtpOutcome };

// With 30 s for each, a host that is down delays its messages by two minutes at most.
const MAX_ADDRESSES = 4;

/**
 * Connects and greets: banner, EHLO (or HELO), STARTTLS where it is offered, AUTH for a relay. When STARTTLS fails,
 * the host is connected to once more in clear text, unless TLS is required.
 */
export async function openConnection(options: OpenOptions): Promise<Opened> {
  const opportunistic = options.tls === 'opportunistic';
  const tls = opportunistic && options.tlsMemory.isBroken(options.host) ? 'off' : options.tls;
  try {
    return { ok: true, connection: await greet({ ...options, tls }) };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.command !== 'STARTTLS' || !opportunistic) return { ok: false, failure };
  }
  options.tlsMemory.markBroken(options.host);
  try {
    return { ok: true, connection: await greet({ ...options, tls: 'off' }) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

/** Tries the first few addresses of a host in their order. */
export async function openAnyAddress(
  host: { readonly name: string; readonly addresses: readonly string[] },
  options: Omit<OpenOptions, 'host' | 'address'>,
): Promise<Opened> {
  let opened: Opened = { ok: false, failure: ours('CONNECT', '4.4.4', 'the host has no address').outcome };
  for (const address of host.addresses.slice(0, MAX_ADDRESSES)) {
    opened = await openConnection({ ...options, host: host.name, address });
    if (opened.ok) break;
    opened = { ok: false, failure: { ...opened.failure, connection: { address } } };
  }
  return opened;
}

class GreetingFailed extends Error {
  constructor(readonly outcome: SmtpOutcome) {
    super(outcome.response);
  }
}

async function greet(options: OpenOptions): Promise<OpenConnection> {
  const { stream, banner } = await step('CONNECT', () => connectAndListen(options));
  try {
    if (!isPositive(banner)) throw refused('CONNECT', banner);
    let capabilities = await hello(stream, options);
    let tls = stream.tls === undefined ? undefined : describeTls(stream.tls);
    if (options.tls === 'require' && !capabilities.starttls) throw noTls(options.host);
    if (capabilities.starttls && (options.tls === 'opportunistic' || options.tls === 'require')) {
      tls = await startTls(stream, options);
      capabilities = await step('STARTTLS', () => hello(stream, options));
    }
    if (options.auth !== undefined)
      await authenticate(stream, options, capabilities);
    return { stream, capabilities, tls, address: options.address };
  } catch (error) {
    stream.end();
    throw error;
  }
}

/** Up to the first sign of life of the address. @throws StreamBroken; there is no connection left then */
async function connectAndListen(options: OpenOptions): Promise<{ stream: SmtpStream; banner: SmtpReply }> {
  const { address, patience } = options;
  const timeouts = patience?.timeoutsOf(address, options.timeouts) ?? options.timeouts;
  try {
    const stream = await connect({ ...options, timeouts });
    const banner = await stream.command('', timeouts.bannerMs);
    patience?.answered(address);
    return { stream, banner };
  } catch (error) {
    if (error instanceof StreamBroken && error.failure.reason === 'timeout') patience?.wasSilent(address);
    throw error;
  }
}

function connect(options: OpenOptions): Promise<SmtpStream> {
  const { address, port, localAddress, timeouts } = options;
  const implicit = options.tls === 'implicit' ? tlsOptions(options) : undefined;
  return SmtpStream.connect({ address, port, localAddress, connectMs: timeouts.connectMs }, implicit);
}

/** EHLO, or HELO for a server that does not know it. */
async function hello(stream: SmtpStream, options: OpenOptions): Promise<Capabilities> {
  const { ehloName, timeouts } = options;
  const reply = await step('EHLO', () => stream.command(`EHLO ${ehloName}`, timeouts.greetingMs));
  if (isPositive(reply)) return readCapabilities(reply);
  if (reply.code < 500) throw refused('EHLO', reply);
  const helo = await step('EHLO', () => stream.command(`HELO ${ehloName}`, timeouts.greetingMs));
  if (!isPositive(helo)) throw refused('EHLO', helo);
  return NO_CAPABILITIES;
}

async function startTls(stream: SmtpStream, options: OpenOptions): Promise<TlsInfo> {
  const { host, timeouts, tlsMemory } = options;
  const reply = await step('STARTTLS', () => stream.command('STARTTLS', timeouts.greetingMs));
  if (!isPositive(reply)) throw refused('STARTTLS', reply);
  const secure = await step('STARTTLS', () => stream.upgrade(tlsOptions(options), timeouts.greetingMs));
  if (options.auth === undefined) {
    secure.on('session', (session: Buffer) => tlsMemory.keepSession(host, session));
  }
  return describeTls(secure);
}

/** Where a password follows, the name is judged by the certificate of this handshake: a resumed session shows none. */
function tlsOptions({ host, auth, trust, tlsMemory }: OpenOptions): ConnectionOptions {
  if (auth === undefined) return tlsMemory.options(host);
  return {
    minVersion: 'TLSv1.2',
    // judged by `authenticate`, which can say what is wrong
    rejectUnauthorized: false,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(trust === undefined ? {} : { secureContext: trust }),
  };
}

function describeTls(secure: TLSSocket): TlsInfo {
  return {
    protocol: secure.getProtocol() ?? 'unknown',
    cipher: secure.getCipher().name,
    resumed: secure.isSessionReused(),
  };
}

async function authenticate(
  stream: SmtpStream,
  options: OpenOptions,
  offered: Capabilities,
): Promise<void> {
  if (options.auth === undefined) return;
  const { tls } = stream;
  if (tls === undefined) throw ours('AUTH', '4.7.0', 'credentials are not sent without TLS');
  if (!tls.authorized) {
    const why = `${options.host} shows no valid certificate (${String(tls.authorizationError)})`;
    throw ours('AUTH', '4.7.5', `${why}: credentials are not sent to it`);
  }
  if (!offered.auth.includes('PLAIN')) throw ours('AUTH', '4.7.0', 'the relay does not offer AUTH PLAIN');
  const token = Buffer.from(`\0${options.auth.user}\0${options.auth.password}`, 'utf8').toString('base64');
  const reply = await step('AUTH', () => stream.command(`AUTH PLAIN ${token}`, options.timeouts.greetingMs));
  // Wrong credentials are our failure, not the message's: it waits.
  if (!isPositive(reply)) throw refused('AUTH', reply);
}

/** Runs one step of the greeting and names it in its failure. */
async function step<Value>(command: SmtpCommand, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GreetingFailed && command === 'STARTTLS')
      throw new GreetingFailed({ ...error.outcome, command });
    if (!(error instanceof StreamBroken)) throw error;
    // RFC 3463: x.4.1 no answer from the host, x.4.2 bad connection.
    throw ours(command, command === 'CONNECT' ? '4.4.1' : '4.4.2', error.message);
  }
}

function refused(command: SmtpCommand, reply: SmtpReply): GreetingFailed {
  const isFinal = reply.code >= 500 && command !== 'STARTTLS' && command !== 'AUTH';
  const kind = isFinal ? 'rejected' : 'deferred';
  return new GreetingFailed({ kind, ...describeReply(reply), command, dataSent: 'no' });
}

function noTls(host: string): GreetingFailed {
  return ours('STARTTLS', '4.7.0', `${host} does not offer STARTTLS, which is required`);
}

function ours(command: SmtpCommand, enhancedStatusCode: string, response: string): GreetingFailed {
  return new GreetingFailed({
    kind: 'deferred',
    ...{ smtpCode: 0, enhancedStatusCode, response },
    ...{ command, dataSent: 'no' },
  });
}

function failureOf(error: unknown): SmtpOutcome {
  if (error instanceof GreetingFailed) return error.outcome;
  // Node throws for some options (an invalid source address): the message waits, and the text says why.
  return ours('CONNECT', '4.3.5', error instanceof Error ? error.message : String(error)).outcome;
}
