import type { Socket } from 'node:net';
import { MAX_PROXY_HEADER, readProxyHeader, type ProxiedClient } from './proxy-header.rules.js';

/**
 * Reads the PROXY protocol header with which a load balancer begins a connection. Later bytes stay in the socket.
 * @param withinMs for the whole header, however its bytes drip
 * @returns the client that it names; undefined for a connection of the load balancer itself
 * @throws Error when the header is invalid, late or cut off; the socket is destroyed then
 */
export function proxiedClient(socket: Socket, withinMs: number): Promise<ProxiedClient | undefined> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const leave = () => {
      clearTimeout(limit);
      socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd);
    };
    const fail = (problem: string) => {
      leave();
      socket.on('error', () => undefined).destroy();
      reject(new Error(`PROXY protocol header: ${problem}`));
    };
    const onEnd = () => fail('the connection ended before it');
    const onReadable = () => {
      for (let chunk = next(socket); chunk !== undefined; chunk = next(socket)) {
        read = Buffer.concat([read, chunk]);
        const header = readProxyHeader(read);
        if (header.kind === 'invalid') return fail(header.problem);
        if (header.kind === 'incomplete') {
          if (read.length > MAX_PROXY_HEADER) return fail('the header is too long');
          continue;
        }
        leave();
        socket.off('error', onError);
        if (read.length > header.length) socket.unshift(read.subarray(header.length));
        return resolve(header.client);
      }
      return undefined;
    };
    const onError = () => undefined;
    const limit = setTimeout(() => fail('it did not come in time'), withinMs);
    socket.on('error', onError).on('readable', onReadable).on('end', onEnd).on('close', onEnd);
    onReadable();
  });
}

const next = (socket: Socket): Buffer | undefined => (socket.read() as Buffer | null) ?? undefined;
