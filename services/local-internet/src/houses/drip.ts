import type { Socket } from 'node:net';

/** A client that keeps sending without reading the slow replies is cut. */
const MAX_PENDING_BYTES = 64 * 1024;
const MIN_INTERVAL_MS = 20;

/** Writes text at a rate of bytes per second. */
export class Drip {
  private pending = Buffer.alloc(0);
  private timer: NodeJS.Timeout | undefined;
  private atEnd: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly bytesPerSecond: () => number,
  ) {
    socket.once('close', () => clearInterval(this.timer));
  }

  /** @param atEnd called when everything is written */
  say(text: string, atEnd?: () => void): void {
    this.pending = Buffer.concat([this.pending, Buffer.from(text)]);
    this.atEnd ??= atEnd;
    if (this.pending.length > MAX_PENDING_BYTES) this.socket.destroy();
    this.timer ??= this.start();
  }

  private start(): NodeJS.Timeout {
    const pace = this.bytesPerSecond();
    const interval = Math.max(MIN_INTERVAL_MS, Math.floor(1_000 / pace));
    const piece = Math.max(1, Math.round((pace * interval) / 1_000));
    return setInterval(() => this.sayPiece(piece), interval);
  }

  private sayPiece(bytes: number): void {
    this.socket.write(this.pending.subarray(0, bytes));
    this.pending = this.pending.subarray(bytes);
    if (this.pending.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.atEnd?.();
  }
}
