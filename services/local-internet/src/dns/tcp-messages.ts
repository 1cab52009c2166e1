import type { Socket } from 'node:net';

// One asker may have so many questions open; the socket is not read on until some are answered.
const MOST_OPEN = 64;

/** Takes a TCP stream apart into DNS messages: two octets of length before each (RFC 1035 §4.2.2). */
export function splitMessages(socket: Socket, handle: (message: Buffer) => Promise<void>): void {
  let rest: Buffer = Buffer.alloc(0);
  let open = 0;
  const take = (): void => {
    while (open < MOST_OPEN && rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0);
      const message = rest.subarray(2, end);
      rest = rest.subarray(end);
      open += 1;
      void handle(message).finally(() => {
        open -= 1;
        take();
      });
    }
    if (open >= MOST_OPEN) socket.pause();
    else if (socket.isPaused()) socket.resume();
  };
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    take();
  });
}
