import type { TLSSocket } from 'node:tls';
import type { SourceVia } from '../egress/egress-source.rules.js';
import { ProxyBroken } from './open-socket.js';
import { describeReply, postponedFor } from './smtp-outcome.js';
import type { SilentAddresses } from './silent-addresses.js';
import type { ConnectionFacts, SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { isPositive, NO_CAPABILITIES, readCapabilities } from './smtp-reply.js';
import type { Capabilities, SmtpReply } from './smtp-reply.js';
import { SmtpStream } from './smtp-stream.js';
import { StreamBroken } from './socket-event.js';
import type { SmtpTimeouts } from './timeouts.js';
import type { TlsMemory } from './tls-memory.js';
import { CLEAR, meets, whoAsks } from '../tls/host-need.rules.js';
import type { HostNeed, PeerProof } from '../tls/host-need.rules.js';
import { judgePeer } from '../tls/judge-peer.js';

/** Security of a connection. `implicit`: TLS from the first byte (a relay's smtps). */
type TlsMode = 'opportunistic' | 'require' | 'implicit' | 'off';

/** The needs of the host are met before any part of a message or a password is sent. */
export interface OpenOptions extends HostNeed {
  /** name of the host, for TLS and logs */
  readonly host: string;
  /** IP address */
  readonly address: string;
  readonly port: number;
  readonly ehloName: string;
  readonly tls: TlsMode;
  readonly tlsMemory: TlsMemory;
  readonly timeouts: SmtpTimeouts;
  /** remembers silent addresses; left out: each gets the full timeout */
  readonly silent?: SilentAddresses;
  /** source address of the connection */
  readonly localAddress?: string | undefined;
  /** the proxy that has it */
  readonly via?: SourceVia | undefined;
  /** for a relay; only ever sent under TLS, to a server with a certificate of a trusted CA */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
}

export interface OpenConnection {
  readonly stream: SmtpStream;
  readonly capabilities: Capabilities;
  readonly tls: TlsInfo | undefined;
  readonly proof: PeerProof;
  /** IP address of the server */
  readonly address: string;
}

/** For the record of an attempt. */
export function connectionFacts({
  address,
  tls,
  proof,
  capabilities,
}: Omit<OpenConnection, 'stream' | 'capabilities'> &
  Partial<Pick<OpenConnection, 'capabilities'>>): ConnectionFacts {
  const inClear = capabilities?.starttls ? 'validation-failure' : 'starttls-not-supported';
  const trouble = proof.verdict === 'clear' ? inClear : proof.trouble;
  const facts = {
    address,
    tlsVerdict: proof.verdict,
    ...(trouble === undefined ? {} : { tlsTrouble: trouble }),
  };
  return tls ? { ...facts, tlsProtocol: tls.protocol, tlsCipher: tls.cipher } : facts;
}

export interface TlsInfo {
  readonly protocol: string;
  readonly cipher: string;
  readonly resumed: boolean;
}

/**
 * The failure is `rejected` when the host answered the greeting itself with 5xx, `postponed` when a proxy of ours made no
 * connection, else `deferred`.
 */
type Opened =
  | { readonly ok: true; readonly connection: OpenConnection }
  | { readonly ok: false; readonly failure: SmtpOutcome };

// With 30 s for each, a host that is down delays its messages by two minutes at most.
const MAX_ADDRESSES = 4;
// For servers that drip their greetings: no more addresses are tried after this.
const OPENING_MS = 5 * 60_000;
const PROXY_AGAIN_MS = 30_000;

/**
 * Connects and greets: banner, EHLO (or HELO), STARTTLS where it is offered, AUTH for a relay. When STARTTLS fails, the
 * host is connected to once more in clear text, unless TLS is required.
 */
export async function openConnection(given: OpenOptions): Promise<Opened> {
  const options = withNeeds(given);
  const opportunistic = options.tls === 'opportunistic';
  const tls = opportunistic && options.tlsMemory.isBroken(options.host) ? 'off' : options.tls;
  try {
    return { ok: true, connection: await greet({ ...options, tls }) };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.command !== 'STARTTLS') return { ok: false, failure };
    if (!opportunistic) return { ok: false, failure: asNoTls(failure, options) };
  }
  options.tlsMemory.markBroken(options.host);
  try {
    return { ok: true, connection: await greet({ ...options, tls: 'off' }) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

/** A password requires a certificate, and any need rules out clear text. */
function withNeeds(options: OpenOptions): OpenOptions {
  const given = options.need ?? 'none';
  const need = options.auth !== undefined && (given === 'none' || given === 'starttls') ? 'pkix' : given;
  return {
    ...options,
    need,
    tls: need !== 'none' && options.tls === 'opportunistic' ? 'require' : options.tls,
  };
}

/** Tries the first few addresses of a host in their order. */
export async function openAnyAddress(
  host: HostNeed & { readonly name: string; readonly addresses: readonly string[] },
  options: Omit<OpenOptions, 'host' | 'address' | keyof HostNeed>,
): Promise<Opened> {
  const { name, need, policy, dane } = host;
  let opened: Opened = { ok: false, failure: ours('CONNECT', '4.4.4', 'the host has no address').outcome };
  const until = performance.now() + OPENING_MS;
  for (const address of host.addresses.slice(0, MAX_ADDRESSES)) {
    if (performance.now() > until) break;
    opened = await openConnection({ ...options, host: name, address, need, policy, dane });
    if (opened.ok || opened.failure.kind === 'postponed') break;
    opened = { ok: false, failure: { connection: { address }, ...opened.failure } };
  }
  return opened;
}

class GreetingFailed extends Error {
  constructor(readonly outcome: SmtpOutcome) {
    super(outcome.response);
  }
}

async function greet(options: OpenOptions): Promise<OpenConnection> {
  const { stream, banner, ...implicit } = await step('CONNECT', () => connectAndListen(options));
  try {
    if (!isPositive(banner)) throw refused('CONNECT', banner);
    let capabilities = await hello(stream, options);
    let secured: Secured = implicit;
    if (options.tls === 'require' && !capabilities.starttls) throw noTls(options);
    if (capabilities.starttls && (options.tls === 'opportunistic' || options.tls === 'require')) {
      secured = await startTls(stream, options);
    }
    if (!meets(secured.proof, options)) throw unproved(secured, options);
    if (secured !== implicit) capabilities = await step('STARTTLS', () => hello(stream, options));
    if (options.auth !== undefined) await authenticate(stream, options, capabilities);
    return { stream, capabilities, ...secured, address: options.address };
  } catch (error) {
    stream.end();
    throw error;
  }
}

/** The security of a connection, and its proof. */
type Secured = Pick<OpenConnection, 'tls' | 'proof'>;

/** Waits for the first byte of the address. @throws StreamBroken; there is no connection left then */
async function connectAndListen(options: OpenOptions) {
  const { address, silent } = options;
  const timeouts = silent?.timeoutsOf(address, options.timeouts) ?? options.timeouts;
  try {
    const connected = await connect({ ...options, timeouts });
    const banner = await connected.stream.command('', timeouts.bannerMs);
    silent?.answered(address);
    return { ...connected, banner };
  } catch (error) {
    if (error instanceof StreamBroken && error.failure.reason === 'timeout') silent?.wasSilent(address);
    throw error;
  }
}

async function connect(options: OpenOptions): Promise<Secured & { stream: SmtpStream }> {
  const { address, port, localAddress, via, timeouts } = options;
  const { connectMs, goodbyeMs } = timeouts;
  const target = { address, port, localAddress, via, connectMs, goodbyeMs };
  const implicit = options.tls === 'implicit' ? options.tlsMemory.options(options) : undefined;
  const stream = await SmtpStream.connect(target, implicit?.options);
  if (stream.tls === undefined) return { stream, tls: undefined, proof: CLEAR };
  return { stream, ...judged(stream.tls, options, implicit?.resumes) };
}

/** EHLO, or HELO for a server that does not support it. */
async function hello(stream: SmtpStream, options: OpenOptions): Promise<Capabilities> {
  const { ehloName, timeouts } = options;
  const reply = await step('EHLO', () => stream.command(`EHLO ${ehloName}`, timeouts.greetingMs));
  if (isPositive(reply)) return readCapabilities(reply);
  if (reply.code < 500) throw refused('EHLO', reply);
  const helo = await step('EHLO', () => stream.command(`HELO ${ehloName}`, timeouts.greetingMs));
  if (!isPositive(helo)) throw refused('EHLO', helo);
  return NO_CAPABILITIES;
}

async function startTls(stream: SmtpStream, options: OpenOptions): Promise<Secured> {
  const { timeouts, tlsMemory } = options;
  const reply = await step('STARTTLS', () => stream.command('STARTTLS', timeouts.greetingMs));
  if (!isPositive(reply)) throw refused('STARTTLS', reply);
  const handshake = tlsMemory.options(options);
  const secure = await step('STARTTLS', () => stream.upgrade(handshake.options, timeouts.greetingMs));
  const secured = judged(secure, options, handshake.resumes);
  secure.on('session', (session: Buffer) => tlsMemory.keepSession(options, session, secured.proof));
  return secured;
}

/** A resumed session shows no certificates: it inherits the proof of its first handshake. */
function judged(secure: TLSSocket, options: OpenOptions, resumes: PeerProof | undefined): Secured {
  const inherited = secure.isSessionReused() ? resumes : undefined;
  return { tls: describeTls(secure), proof: inherited ?? judgePeer(secure, options) };
}

function describeTls(secure: TLSSocket): TlsInfo {
  return {
    protocol: secure.getProtocol() ?? 'unknown',
    cipher: secure.getCipher().name,
    resumed: secure.isSessionReused(),
  };
}

async function authenticate(stream: SmtpStream, options: OpenOptions, offered: Capabilities): Promise<void> {
  if (options.auth === undefined) return;
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
    const { outcome } = ours(command, command === 'CONNECT' ? '4.4.1' : '4.4.2', error.message);
    throw new GreetingFailed({ ...outcome, failure: error.failure.reason });
  }
}

function refused(command: SmtpCommand, reply: SmtpReply): GreetingFailed {
  const isFinal = reply.code >= 500 && command !== 'STARTTLS' && command !== 'AUTH';
  const kind = isFinal ? 'rejected' : 'deferred';
  return new GreetingFailed({ kind, ...describeReply(reply), command, dataSent: 'no' });
}

/** RFC 3463 §3.8: x.7.10 encryption needed. */
function noTls(options: OpenOptions): GreetingFailed {
  const response = `${options.host} does not offer STARTTLS, which is required${whoAsks(options)}`;
  const connection = connectionFacts({ tls: undefined, proof: CLEAR, address: options.address });
  return new GreetingFailed({ ...ours('STARTTLS', '4.7.10', response).outcome, connection });
}

/** RFC 3463 §3.8: x.7.5 cryptographic failure. */
function unproved(secured: Secured, options: OpenOptions): GreetingFailed {
  const { verdict, problem = 'its certificate is not trusted' } = secured.proof;
  if (verdict === 'clear') return noTls(options);
  const why = options.need === 'dane' ? 'its certificate does not fit the TLSA records' : problem;
  const { outcome } = ours('STARTTLS', '4.7.5', `${options.host}: ${why}${whoAsks(options)}`);
  return new GreetingFailed({
    ...outcome,
    connection: connectionFacts({ ...secured, address: options.address }),
  });
}

/** TLS is required and unavailable: that is never final, whatever the server replies after its STARTTLS. */
function asNoTls(failure: SmtpOutcome, options: OpenOptions): SmtpOutcome {
  if (failure.smtpCode !== 0 || failure.enhancedStatusCode !== '4.4.2')
    return { ...failure, kind: 'deferred' };
  const response = `no TLS with ${options.host}, which is required${whoAsks(options)}: ${failure.response}`;
  return { ...failure, enhancedStatusCode: '4.7.5', response };
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
  // Our trouble, and no host was asked: the message goes back uncounted.
  if (error instanceof ProxyBroken) return postponedFor(PROXY_AGAIN_MS, error.message);
  // Node throws for some options (an invalid source address): the message waits, and the text has the reason.
  return ours('CONNECT', '4.3.5', error instanceof Error ? error.message : String(error)).outcome;
}
