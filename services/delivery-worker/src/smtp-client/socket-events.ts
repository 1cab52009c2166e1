import type { Socket } from 'node:net';

/** Why a connection is of no further use. */
export interface StreamFailure {
  readonly reason: 'timeout' | 'closed' | 'reset' | 'protocol';
  /** a sentence for people */
  readonly text: string;
}

/** A stream failed while one waited for it. */
export class StreamBroken extends Error {
  constructor(readonly failure: StreamFailure) {
    super(failure.text);
  }
}

/** Waits for an event of a socket under a timer. @throws StreamBroken; the socket is destroyed then */
export function settled(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (failure: StreamFailure) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // An error may still come out of a socket that is being destroyed.
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
