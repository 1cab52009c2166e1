import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiErrors } from '@postmesh/contracts';

const NOTHING = Buffer.alloc(0);

/**
 * A large body of a client's request as a stream to a service: counted, and read from the client only as fast
 * as the service reads it. Nothing is read before the first read of this stream, so that an untouched body can
 * be sent a second time when the first connection could not be made. When this stream is destroyed, the client's
 * connection stays open for the response.
 */
export class ClientBody extends Readable {
  /** bytes read so far */
  bytes = 0;
  private started = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limit: number,
    /** the bytes that were read already */
    private readonly start: Buffer = NOTHING,
  ) {
    super();
  }

  get untouched(): boolean {
    return !this.started;
  }

  /** The same body for another try, while it is untouched. */
  again(): ClientBody {
    return new ClientBody(this.request, this.limit, this.start);
  }

  override _read(): void {
    if (!this.started) this.begin();
    this.request.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { request } = this;
    request.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    if (this.started) request.pause();
    done(error);
  }

  private begin(): void {
    this.started = true;
    this.bytes = this.start.length;
    if (this.bytes > 0) this.push(this.start);
    this.request.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    if (this.request.destroyed && !this.request.complete) this.onClose();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) this.destroy(ApiErrors.bodyTooLarge());
    else if (!this.push(chunk)) this.request.pause();
  };

  private readonly onEnd = (): void => {
    this.push(null);
  };

  private readonly onClose = (): void => {
    if (!this.request.complete) this.destroy(new ClientGone());
  };
}

/** The client disconnected before its request was complete, so no response can be sent. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before its request was whole');
  }
}
