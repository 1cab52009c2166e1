import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { InternalRequest, InternalResponse, LocalService } from '@postmesh/http';

/** A service for callers in the same process. It reads a streamed body at its own pace. */
export const localService = (fastify: FastifyInstance): LocalService => ({
  route: (request, response) => fastify.routing(request, response),
  inject: async ({ method, path, headers, raw, body, signal }) => {
    const bytes = raw?.bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const request = new LocalRequest(method, path, headers, bytes);
    const leave = () => request.socket.leave();
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    try {
      return await responseTo(request, fastify);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  },
});

/** Rejects when the request or the response is destroyed. */
const responseTo = (request: LocalRequest, fastify: FastifyInstance): Promise<InternalResponse> =>
  new Promise((resolve, reject) => {
    const response = new LocalResponse();
    response.once('finish', () => resolve(response.toInternal()));
    response.once('error', reject);
    response.once('close', () => {
      if (!response.writableFinished) reject(new Error('the response was destroyed'));
    });
    request.once('error', (error) => response.destroy(error));
    request.once('close', () => response.destroy());
    fastify.routing(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });

/** The connection of a caller in the same process. */
class LocalSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  destroyed = false;

  leave(): void {
    this.destroyed = true;
    this.emit('close', false);
  }
}

/** The parts of Node's IncomingMessage that Fastify and services use; those of light-my-request cost four times as much. */
class LocalRequest extends Readable {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly rawHeaders: string[] = [];
  readonly headers: Record<string, string> = {};
  readonly socket = new LocalSocket();
  readonly aborted = false;
  /** the service has got the whole body */
  complete = false;
  private begun = false;

  constructor(
    readonly method: InternalRequest['method'],
    readonly url: string,
    headers: Readonly<Record<string, string>>,
    private readonly body: Buffer | Readable | undefined,
  ) {
    super({ autoDestroy: false });
    for (const name of Object.keys(headers)) this.headers[name.toLowerCase()] = headers[name] ?? '';
    if (Buffer.isBuffer(body)) this.headers['content-length'] ??= String(body.length);
  }

  override _read(): void {
    const { body } = this;
    if (body instanceof Readable) {
      if (this.begun) body.resume();
      else this.begin(body);
      return;
    }
    if (body && body.length > 0) this.push(body);
    this.end();
  }

  private begin(body: Readable): void {
    this.begun = true;
    body.once('end', () => this.end()).once('error', (error) => this.destroy(error));
    body.once('close', () => {
      if (!this.complete) this.destroy(new Error('the body was broken off'));
    });
    body.on('data', (chunk) => {
      if (!this.push(chunk)) body.pause();
    });
  }

  private end(): void {
    this.complete = true;
    this.push(null);
  }
}

type HeaderValue = string | number | readonly string[];

/** The parts of Node's ServerResponse that Fastify uses. */
class LocalResponse extends Writable {
  statusCode = 200;
  headersSent = false;
  private readonly fields: Record<string, string | string[]> = {};
  private readonly chunks: Buffer[] = [];

  toInternal(): InternalResponse {
    const [first = Buffer.alloc(0), ...more] = this.chunks;
    const bytes = more.length > 0 ? Buffer.concat(this.chunks) : first;
    return { status: this.statusCode, headers: this.fields, bytes };
  }

  setHeader(name: string, value: HeaderValue): this {
    this.fields[name.toLowerCase()] = Array.isArray(value) ? value.map(String) : String(value);
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.fields[name.toLowerCase()];
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  getHeaders(): Record<string, string | string[]> {
    return { ...this.fields };
  }

  removeHeader(name: string): void {
    delete this.fields[name.toLowerCase()];
  }

  writeHead(status: number, fields: Readonly<Record<string, HeaderValue>> = {}): this {
    this.statusCode = status;
    for (const name of Object.keys(fields)) this.setHeader(name, fields[name] ?? '');
    this.headersSent = true;
    return this;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.headersSent = true;
    this.chunks.push(chunk);
    done();
  }
}
