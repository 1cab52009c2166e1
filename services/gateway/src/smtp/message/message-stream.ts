import { Readable } from 'node:stream';
import { LineEnds } from './line-ends.js';

/** The reason for which a message is rejected, whatever the response of the service. */
export type MessageProblem = 'too large' | 'malformed' | 'client gone';

class MessageRefused extends Error {
  constructor(readonly problem: MessageProblem) {
    super(`the message was not taken: ${problem}`);
  }
}

/**
 * The content of DATA as a stream to a service: counted, read from the client only as fast as the service reads it, and
 * ended at the first byte that is not allowed, so that nothing is stored. When this stream ends early, the rest of the
 * client's message is read and discarded, and the reply follows the end of the message.
 */
export class MessageStream extends Readable {
  /** bytes read so far */
  bytes = 0;
  problem: MessageProblem | undefined;
  /** resolves when the client has ended its message or disconnected */
  readonly sent: Promise<'whole' | 'gone' | 'endless'>;
  private readonly lineEnds = new LineEnds();
  private settle: (how: 'whole' | 'gone' | 'endless') => void = () => undefined;

  /** @param limit bytes; a longer message is too large, and one of twice the limit is not read to its end */
  constructor(
    private readonly source: Readable,
    private readonly limit: number,
  ) {
    super();
    this.sent = new Promise((resolve) => (this.settle = resolve));
    source.pause();
    source.on('data', this.onData).once('end', this.onEnd).once('close', this.onClose);
    // smtp-server destroys it with an error when the client disconnects: onClose handles that
    source.on('error', () => undefined);
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

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.destroyed) {
      if (this.bytes > 2 * this.limit) this.settle('endless');
      return;
    }
    if (this.bytes > this.limit) this.refuse('too large');
    else if (!this.lineEnds.take(chunk)) this.refuse('malformed');
    else if (!this.push(chunk)) this.source.pause();
  };

  private readonly onEnd = (): void => {
    this.settle('whole');
    if (this.destroyed) return;
    if (this.lineEnds.whole) this.push(null);
    else this.refuse('malformed');
  };

  private readonly onClose = (): void => {
    this.settle('gone');
    if (!this.source.readableEnded) this.refuse('client gone');
  };

  /** Ends the stream early. The error ends a reader that still waits; without one it would wait for ever. */
  stop(): void {
    this.destroy(new Error('the rest of the message is not wanted'));
  }

  private refuse(problem: MessageProblem): void {
    this.problem ??= problem;
    this.destroy(new MessageRefused(problem));
  }
}
