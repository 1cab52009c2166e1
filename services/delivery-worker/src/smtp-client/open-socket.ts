import { connect, type Socket } from 'node:net';
import type { SourceVia } from '../egress/egress-source.rules.js';
import {
  chosenMethod,
  proxyHeader,
  restOfReply,
  socksConnect,
  socksLogin,
  socksMethods,
  socksProblem,
} from './proxy-bytes.rules.js';
import { socketEvent, StreamBroken } from './socket-event.js';

export interface SocketTarget {
  /** IP address */
  readonly address: string;
  readonly port: number;
  /** source address of the connection */
  readonly localAddress?: string | undefined;
  /** the proxy that has the source address; left out: this machine has it */
  readonly via?: SourceVia | undefined;
  readonly connectMs: number;
}

/** The proxy made no connection, which says nothing about the destination. */
export class ProxyBroken extends Error {
  constructor({ kind, host, port }: SourceVia, problem: string) {
    super(`the ${kind === 'socks5' ? 'SOCKS5 proxy' : 'proxy'} ${host}:${port}: ${problem}`);
  }
}

// Proxies are ours and near.
const PROXY_MS = 10_000;

/**
 * Connects to the address, from the source address or through the proxy that has it.
 * @throws StreamBroken when the address cannot be connected to in time
 * @throws ProxyBroken when the proxy is to blame
 */
export async function openSocket(target: SocketTarget): Promise<Socket> {
  const { address: host, port, localAddress, via, connectMs } = target;
  if (via === undefined) {
    const local = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ host, port, ...local, noDelay: true });
    await socketEvent(socket, 'connect', connectMs);
    return socket;
  }
  const socket = connect({ host: via.host, port: via.port, noDelay: true });
  await ofProxy(via, () => socketEvent(socket, 'connect', Math.min(PROXY_MS, connectMs)));
  if (via.kind === 'socks5') await throughSocks(socket, via, target);
  else if (localAddress !== undefined) {
    // the system chooses the port
    socket.write(proxyHeader({ address: localAddress, port: 0 }, { address: host, port }));
  }
  return socket;
}

/** RFC 1928, RFC 1929. The reply of the destination that may follow stays in the socket. */
async function throughSocks(socket: Socket, via: SourceVia, target: SocketTarget): Promise<void> {
  const { login } = via;
  const fail = (problem: string): ProxyBroken => {
    socket.on('error', () => undefined).destroy();
    return new ProxyBroken(via, problem);
  };
  const ask = (bytes: Buffer, length: number) => {
    socket.write(bytes);
    return ofProxy(via, () => exactly(socket, length, PROXY_MS));
  };
  const method = chosenMethod(await ask(socksMethods(login !== undefined), 2));
  if (method === undefined || (method === 'password' && !login)) throw fail('it needs another login');
  if (method === 'password' && login) {
    const answer = await ask(socksLogin(login), 2);
    if (answer[1] !== 0) throw fail('it refuses the login');
  }
  socket.write(socksConnect(target));
  const head = await exactly(socket, 5, target.connectMs);
  const problem =
    head[0] === 5 ? socksProblem(head[1]) : { by: 'proxy' as const, text: 'it does not speak SOCKS5' };
  if (problem?.by === 'proxy') throw fail(problem.text);
  if (problem) {
    socket.on('error', () => undefined).destroy();
    const reason = head[1] === NO_ANSWER ? 'timeout' : 'reset';
    throw new StreamBroken({ reason, text: `through ${via.host}:${via.port}: ${problem.text}` });
  }
  const rest = restOfReply(head);
  if (rest === undefined) throw fail('its reply has an unknown kind of address');
  await ofProxy(via, () => exactly(socket, rest, PROXY_MS));
}

const NO_ANSWER = 6;

/** Reads so many bytes; further ones stay in the socket. @throws StreamBroken */
async function exactly(socket: Socket, length: number, timeoutMs: number): Promise<Buffer> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const bytes = socket.read(length) as Buffer | null;
    if (bytes?.length === length) return bytes;
    const left = until - performance.now();
    if (bytes !== null || left <= 0) {
      socket.on('error', () => undefined).destroy();
      const reason = bytes === null ? 'timeout' : 'closed';
      throw new StreamBroken({
        reason,
        text: bytes === null ? 'no answer in time' : 'the connection was closed',
      });
    }
    await socketEvent(socket, 'readable', left);
  }
}

/** A failure of the network is the proxy's here. */
async function ofProxy<Value>(via: SourceVia, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StreamBroken ? new ProxyBroken(via, error.message) : error;
  }
}
