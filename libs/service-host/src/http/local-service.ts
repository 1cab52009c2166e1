import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex, type Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { InternalRequest, InternalResponse, LocalService } from '@postmesh/internal-http';

type Injected = InternalRequest & { headers: Record<string, string> };

/** A service for whoever lives in the same process. */
export const localService = (fastify: FastifyInstance): LocalService => ({
  route: (request, response) => fastify.routing(request, response),
  inject: (request) => {
    const bytes = request.raw?.bytes;
    return bytes === undefined || Buffer.isBuffer(bytes)
      ? injectWhole(fastify, request)
      : injectStream(fastify, request, bytes);
  },
});

async function injectWhole(fastify: FastifyInstance, request: Injected): Promise<InternalResponse> {
  const { method, path, headers, raw, body } = request;
  const payload = raw ? (raw.bytes as Buffer) : body === undefined ? undefined : JSON.stringify(body);
  const response = await fastify.inject({
    method,
    url: path,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    bytes: response.rawPayload,
  };
}

/**
 * Fastify's own `inject` gathers a stream before anybody reads it: twice in memory, whatever the service would say. Here
 * the service reads the stream itself, as it would a connection.
 * @throws whatever destroyed the stream
 */
function injectStream(
  fastify: FastifyInstance,
  { method, path, headers }: Injected,
  body: Readable,
): Promise<InternalResponse> {
  const request = new StreamedRequest(body, { ...headers, 'transfer-encoding': 'chunked' });
  request.method = method;
  request.url = path;
  const response = new GatheredResponse(request);
  return new Promise((resolve, reject) => {
    response.once('finish', () => {
      resolve({
        status: response.statusCode,
        headers: response.getHeaders() as never,
        bytes: response.bytes(),
      });
      // what the service did not want to read
      if (!request.complete) body.destroy();
    });
    body.once('error', reject);
    body.once('close', () => {
      if (!request.complete) reject(new Error('the sender went away before its body was whole'));
    });
    fastify.routing(request, response);
  });
}

/** A connection that leads nowhere. */
const nowhere = (): Socket =>
  new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as unknown as Socket;

class StreamedRequest extends IncomingMessage {
  constructor(
    private readonly body: Readable,
    headers: Record<string, string>,
  ) {
    super(nowhere());
    this.headers = { host: 'localhost', ...headers };
    this.httpVersion = '1.1';
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    body.pause();
    body.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) body.pause();
    });
    body.once('end', () => {
      this.complete = true;
      this.push(null);
    });
    // a sender that goes away in the middle of its body, as on a connection
    body.once('close', () => {
      if (!this.complete) this.destroy();
    });
  }

  override _read(): void {
    this.body.resume();
  }
}

class GatheredResponse extends ServerResponse {
  private readonly chunks: Buffer[] = [];

  constructor(request: IncomingMessage) {
    super(request);
    this.assignSocket(request.socket);
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  override write(chunk: unknown, ...rest: never[]): boolean {
    this.gather(chunk);
    return super.write(chunk as Buffer, ...rest);
  }

  override end(chunk?: unknown, ...rest: never[]): this {
    this.gather(chunk);
    return super.end(chunk as Buffer, ...rest);
  }

  private gather(chunk: unknown): void {
    if (typeof chunk === 'string') this.chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) this.chunks.push(Buffer.from(chunk));
  }
}
