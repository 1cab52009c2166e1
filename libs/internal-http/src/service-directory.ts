import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import {
  INNER_SERVICES,
  type ApiResponse,
  type OperationId,
  type Principal,
  type ServiceName,
} from '@postmesh/contracts';
import { serviceSetting, type Settings } from '@postmesh/settings';

/** Tell RequestBodies what a RawBody says; believed only beside a service token. */
export const BODY_MAX_BYTES_HEADER = 'x-body-max-bytes';
export const BODY_ACCOUNT_HEADER = 'x-body-account';

/** Content types whose body is handed on as it comes, however long it is. */
export const STREAMED_TYPES = ['text/csv', 'application/x-ndjson'] as const;

/** A service in this process takes the very request of the client: nothing is copied. */
export interface LocalService {
  /** Anything that it serves, found by path. */
  route(request: IncomingMessage, response: ServerResponse): void;
  /** One of its operations. Never rejects: an error is a response. Left out by a service that has no operations. */
  serve?(call: OperationCall): Promise<ApiResponse>;
  inject(request: InternalRequest & { headers: Record<string, string> }): Promise<InternalResponse>;
}

/** A request that the gateway has let pass, for an operation that it knows, from a key that it knows (decision 88). */
export interface OperationCall {
  readonly id: OperationId;
  readonly principal: Principal;
  /** the parts of the path that have names, decoded */
  readonly params: Readonly<Record<string, string>>;
  /** path and query as they came */
  readonly url: string;
  /** those that a service would get over HTTP: nothing that a client says about itself is among them */
  readonly headers: IncomingHttpHeaders;
  /** of which nothing but the head was read */
  readonly request: IncomingMessage;
}

export interface InternalRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  /** sent instead of a JSON body: a raw message, or the stream of an import */
  raw?: RawBody;
  /** besides those that every request between services has */
  headers?: Readonly<Record<string, string>>;
  /** the name of the operator on whose behalf the service asks */
  operator?: string;
}

export interface RawBody {
  readonly bytes: Buffer | Readable;
  readonly contentType: string;
  /** of a stream: it is not longer, so the service takes no more room for it */
  readonly maxBytes?: number;
  /** whose share of the memory for large bodies it takes; the account's of the path when left out */
  readonly account?: string;
}

export interface InternalResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

export interface RemoteService {
  pool: Pool;
  /** for bodies that come as slowly as somebody sends them: whoever opens one bounds how many */
  streams: Pool;
  /** path prefix of the service's URL */
  prefix: string;
}

// Many connections balance over replicas behind one address, and their age is capped so that new
// replicas get work.
const CONNECTIONS = 32;
// A connection that nobody used for so long is closed by us: a service that stops would close it at the very moment at
// which a request takes it, and nobody could know whether that one was done.
const IDLE_MS = 1_000;

/** Knows where each service is: in this process or at a URL. */
export class ServiceDirectory {
  private readonly local = new Map<ServiceName, LocalService>();
  private readonly remote = new Map<ServiceName, RemoteService>();

  constructor(private readonly urls: Partial<Record<ServiceName, string>>) {}

  static fromSettings(settings: Settings): ServiceDirectory {
    const urls: Partial<Record<ServiceName, string>> = {};
    for (const service of INNER_SERVICES) {
      const url = settings[serviceSetting(service, 'Url')];
      if (url !== undefined) urls[service] = url;
    }
    return new ServiceDirectory(urls);
  }

  addLocal(service: ServiceName, local: LocalService): void {
    this.local.set(service, local);
  }

  removeLocal(service: ServiceName): void {
    this.local.delete(service);
  }

  findLocal(service: ServiceName): LocalService | undefined {
    return this.local.get(service);
  }

  /** For services whose port is known only once they listen. */
  setUrl(service: ServiceName, url: string): void {
    this.urls[service] = url;
  }

  /** @throws Error when nothing says where the service is */
  remoteOf(service: ServiceName): RemoteService {
    const known = this.remote.get(service);
    if (known) return known;
    const url = this.urls[service];
    if (url === undefined) throw new Error(`nothing says where the ${service} service is (set its URL)`);
    const { origin, pathname } = new URL(url);
    const poolOf = (connections: number | null) =>
      new Pool(origin, {
        connections,
        pipelining: 1,
        connect: { timeout: 1_000 },
        headersTimeout: 30_000,
        bodyTimeout: 30_000,
        clientTtl: 60_000,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
      });
    const remote = {
      pool: poolOf(CONNECTIONS),
      streams: poolOf(null),
      prefix: pathname.replace(/\/$/, ''),
    };
    this.remote.set(service, remote);
    return remote;
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.remote.values()].flatMap(({ pool, streams }) => [pool.close(), streams.close()]),
    );
    this.remote.clear();
  }
}
