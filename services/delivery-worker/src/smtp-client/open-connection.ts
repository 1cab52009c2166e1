import type { TLSSocket } from 'node:tls';
import { NO_CAPABILITIES, readCapabilities } from './capabilities.js';
import type { Capabilities } from './capabilities.js';
import type { SmtpCommand } from './smtp-outcome.js';
import { describeReply, isPositive } from './smtp-reply.js';
import type { DescribedReply, SmtpReply } from './smtp-reply.js';
import { SmtpStream } from './smtp-stream.js';
import { StreamBroken } from './socket-events.js';
import type { SmtpTimeouts } from './timeouts.js';
import type { TlsMemory } from './tls-memory.js';

/** How a connection is to be secured. `implicit`: TLS from the first byte (a relay's smtps). */
export type TlsMode = 'opportunistic' | 'require' | 'implicit' | 'off';

export interface OpenOptions {
  /** name of the host, for TLS and for people */
  readonly host: string;
  /** IP address */
  readonly address: string;
  readonly port: number;
  readonly ehloName: string;
  readonly tls: TlsMode;
  readonly tlsMemory: TlsMemory;
  readonly timeouts: SmtpTimeouts;
  /** source address of the connection */
  readonly localAddress?: string | undefined;
  /** for a relay; only ever sent under TLS */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
}

export interface OpenConnection {
  readonly stream: SmtpStream;
  readonly capabilities: Capabilities;
  readonly tls: TlsInfo | undefined;
}

export interface TlsInfo {
  readonly protocol: string;
  readonly cipher: string;
  readonly resumed: boolean;
}

/** Why a host could not be greeted. */
export interface OpenFailure extends DescribedReply {
  readonly command: SmtpCommand;
  /** the host said 5xx to the greeting itself: it will not talk to us, now or later */
  readonly permanent: boolean;
}

export type Opened =
  | { readonly ok: true; readonly connection: OpenConnection }
  | { readonly ok: false; readonly failure: OpenFailure };

// With 30 s for each, a host that is down holds its messages for two minutes at most.
const MOST_ADDRESSES = 4;
const NO_ADDRESS: OpenFailure = {
  command: 'CONNECT',
  smtpCode: 0,
  enhancedStatusCode: '4.4.4',
  response: 'the host has no address',
  permanent: false,
};

/**
 * Connects and greets: banner, EHLO (or HELO), STARTTLS where it is offered, AUTH for a relay. When TLS was offered
 * and does not work, the host is connected to once more in the clear, unless TLS is required.
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

/** Tries the addresses of a host in their order, the first few of them. */
export async function openAnyAddress(
  host: { readonly name: string; readonly addresses: readonly string[] },
  options: Omit<OpenOptions, 'host' | 'address'>,
): Promise<Opened> {
  let opened: Opened = { ok: false, failure: NO_ADDRESS };
  for (const address of host.addresses.slice(0, MOST_ADDRESSES)) {
    opened = await openConnection({ ...options, host: host.name, address });
    if (opened.ok) break;
  }
  return opened;
}

class GreetingFailed extends Error {
  constructor(readonly failure: OpenFailure) {
    super(failure.response);
  }
}

async function greet(options: OpenOptions): Promise<OpenConnection> {
  const stream = await step('CONNECT', () => connect(options));
  try {
    const banner = await step('CONNECT', () => stream.command('', options.timeouts.bannerMs));
    if (!isPositive(banner)) throw refused('CONNECT', banner);
    let capabilities = await hello(stream, options);
    let tls = stream.tls === undefined ? undefined : describeTls(stream.tls);
    if (options.tls === 'require' && !capabilities.starttls) throw noTls(options.host);
    if (capabilities.starttls && (options.tls === 'opportunistic' || options.tls === 'require')) {
      tls = await startTls(stream, options);
      capabilities = await step('STARTTLS', () => hello(stream, options));
    }
    if (options.auth !== undefined)
      await authenticate(stream, options, { offered: capabilities, secure: tls !== undefined });
    return { stream, capabilities, tls };
  } catch (error) {
    stream.end();
    throw error;
  }
}

function connect(options: OpenOptions): Promise<SmtpStream> {
  const { address, port, localAddress, timeouts } = options;
  const implicit = options.tls === 'implicit' ? options.tlsMemory.options(options.host) : undefined;
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
  const secure = await step('STARTTLS', () => stream.upgrade(tlsMemory.options(host), timeouts.greetingMs));
  secure.on('session', (session: Buffer) => tlsMemory.keepSession(host, session));
  return describeTls(secure);
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
  { offered, secure }: { offered: Capabilities; secure: boolean },
): Promise<void> {
  if (options.auth === undefined) return;
  if (!secure) throw ours('AUTH', '4.7.0', 'credentials are not sent without TLS');
  if (!offered.auth.includes('PLAIN')) throw ours('AUTH', '4.7.0', 'the relay does not offer AUTH PLAIN');
  const token = Buffer.from(`\0${options.auth.user}\0${options.auth.password}`, 'utf8').toString('base64');
  const reply = await step('AUTH', () => stream.command(`AUTH PLAIN ${token}`, options.timeouts.greetingMs));
  // Wrong credentials are our trouble, not the message's: it waits.
  if (!isPositive(reply))
    throw new GreetingFailed({ command: 'AUTH', ...describeReply(reply), permanent: false });
}

/** Names the step in which a stream broke. */
async function step<Value>(command: SmtpCommand, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GreetingFailed && command === 'STARTTLS')
      throw new GreetingFailed({ ...error.failure, command });
    if (!(error instanceof StreamBroken)) throw error;
    // RFC 3463: x.4.1 no answer from the host, x.4.2 bad connection.
    const enhancedStatusCode = command === 'CONNECT' ? '4.4.1' : '4.4.2';
    throw new GreetingFailed({
      command,
      smtpCode: 0,
      enhancedStatusCode,
      response: error.message,
      permanent: false,
    });
  }
}

function refused(command: SmtpCommand, reply: SmtpReply): GreetingFailed {
  const permanent = reply.code >= 500 && command !== 'STARTTLS';
  return new GreetingFailed({ command, ...describeReply(reply), permanent });
}

function noTls(host: string): GreetingFailed {
  return ours('STARTTLS', '4.7.0', `${host} does not offer STARTTLS, which is required`);
}

function ours(command: SmtpCommand, enhancedStatusCode: string, response: string): GreetingFailed {
  return new GreetingFailed({ command, smtpCode: 0, enhancedStatusCode, response, permanent: false });
}

function failureOf(error: unknown): OpenFailure {
  if (error instanceof GreetingFailed) return error.failure;
  // Node refuses some things by throwing (a source address that is none): the message waits, the text tells why.
  return ours('CONNECT', '4.3.5', error instanceof Error ? error.message : String(error)).failure;
}
