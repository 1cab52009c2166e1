import { Readable } from 'node:stream';
import { LineEnds } from './line-ends.js';

/** The reason for which a message is rejected, whatever the response of the service. */
export type MessageProblem = 'too large' | 'malformed' | 'client gone';

/** Bytes. A stream of such a small message would cost more than its bytes; the memory is bounded by the connections. */
const WHOLE_UP_TO = 65_536;

/**
 * The content of DATA, counted, and ended at the first byte that is not allowed, so that nothing is stored. A small
 * message is in one piece once it has arrived. A larger one is a stream, read from the client only as fast as the service
 * reads it. When it ends early, the rest of the client's message is read and discarded, and the reply follows the end of
 * the message.
 */
export class ClientMessage {
  /** bytes read so far */
  bytes = 0;
  problem: MessageProblem | undefined;
  /** for the service; undefined: there is a problem, or it was stopped */
  readonly content: Promise<Buffer | Readable | undefined>;
  /** resolves when the client has ended its message or disconnected */
  readonly sent: Promise<'whole' | 'gone' | 'endless'>;
  private readonly lineEnds = new LineEnds();
  private readonly chunks: Buffer[] = [];
  private whole: Buffer | undefined;
  private stream: MessageStream | undefined;
  private stopped = false;
  private open: (content: Buffer | Readable | undefined) => void = () => undefined;
  private settle: (how: 'whole' | 'gone' | 'endless') => void = () => undefined;

  /** @param limit bytes; a longer message is too large, and one of twice the limit is not read to its end */
  constructor(
    private readonly source: Readable,
    private readonly limit: number,
  ) {
    this.content = new Promise((resolve) => (this.open = resolve));
    this.sent = new Promise((resolve) => (this.settle = resolve));
    source.on('data', this.onData).once('end', this.onEnd).once('close', this.onClose);
    // smtp-server destroys it with an error when the client disconnects: onClose handles that
    source.on('error', () => undefined);
  }

  /** Whether the service got all of it. */
  get isRead(): boolean {
    return this.whole !== undefined || this.stream?.readableEnded === true;
  }

  /** Ends it early. The error ends a reader that still waits; without one it would wait for ever. */
  stop(): void {
    this.end(new Error('the rest of the message is not wanted'));
  }

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.isUnwanted) {
      if (this.bytes > 2 * this.limit) this.settle('endless');
      return;
    }
    if (this.bytes > this.limit) this.refuse('too large');
    else if (!this.lineEnds.take(chunk)) this.refuse('malformed');
    else if (!this.stream) this.keep(chunk);
    else if (!this.stream.push(chunk)) this.source.pause();
  };

  private readonly onEnd = (): void => {
    this.settle('whole');
    if (this.isUnwanted) return;
    if (!this.lineEnds.whole) return this.refuse('malformed');
    if (this.stream) {
      this.stream.push(null);
      return;
    }
    this.whole = Buffer.concat(this.chunks, this.bytes);
    this.open(this.whole);
  };

  private readonly onClose = (): void => {
    this.settle('gone');
    if (!this.source.readableEnded) this.refuse('client gone');
  };

  private get isUnwanted(): boolean {
    return this.stopped || this.stream?.destroyed === true;
  }

  /** Until it proves to be too long for one piece. */
  private keep(chunk: Buffer): void {
    this.chunks.push(chunk);
    if (this.bytes <= WHOLE_UP_TO) return;
    this.source.pause();
    this.stream = new MessageStream(this.source);
    for (const kept of this.chunks.splice(0)) this.stream.push(kept);
    this.open(this.stream);
  }

  private refuse(problem: MessageProblem): void {
    this.problem ??= problem;
    this.end(new Error(`the message was not taken: ${problem}`));
  }

  private end(reason: Error): void {
    this.stopped = true;
    this.chunks.length = 0;
    this.open(undefined);
    this.stream?.destroy(reason);
  }
}

/** Its source is read at the pace of the reader, and to the end without one. */
class MessageStream extends Readable {
  constructor(private readonly source: Readable) {
    super();
    // the reader may have finished already
    this.on('error', () => undefined);
  }

  override _read(): void {
    this.source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.source.resume();
    done(error);
  }
}
