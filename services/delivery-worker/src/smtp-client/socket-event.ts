import type { Socket } from 'node:net';
import type { NetworkFailure } from './smtp-outcome.js';

/** Why a connection cannot be used any more. */
export interface StreamFailure {
  readonly reason: NetworkFailure;
  /** for logs and attempts */
  readonly text: string;
}

/** The stream failed while a caller waited for it. */
export class StreamBroken extends Error {
  constructor(readonly failure: StreamFailure) {
    super(failure.text);
  }
}

/** Waits for an event of a socket under a timer. @throws StreamBroken; the socket is destroyed then */
export function socketEvent(
  socket: Socket,
  event: 'connect' | 'secureConnect' | 'readable',
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (failure: StreamFailure) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // A socket that is being destroyed may still emit an error.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(new StreamBroken(failure));
    };
    const timer = setTimeout(
      () => stop({ reason: 'timeout', text: `no connection within ${Math.ceil(timeoutMs / 1000)} s` }),
      timeoutMs,
    );
    socket.once('error', (error) => stop({ reason: 'reset', text: error.message }));
    socket.once('close', () => stop({ reason: 'closed', text: 'the server closed the connection' }));
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      socket.removeAllListeners('close');
      resolve();
    });
  });
}
