import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { INNER_SERVICES, type KeyHolder, type Principal, type ServiceName } from '@postmesh/contracts';
import { serviceSetting, type Settings } from '@postmesh/settings';

/** Headers that carry the facts of a RawBody to RequestBodies; trusted only together with a service token. */
export const BODY_MAX_BYTES_HEADER = 'x-body-max-bytes';
export const BODY_ACCOUNT_HEADER = 'x-body-account';

/** Content types whose body is streamed, whatever its length. */
export const STREAMED_TYPES = ['text/csv', 'application/x-ndjson'] as const;

/** A service in this process. It gets the client's request object itself: nothing is copied. */
export interface LocalService {
  /** Serves a request of which only the head was read, with the headers that a service gets over HTTP. */
  route(request: IncomingMessage, response: ServerResponse): void;
  inject(request: InternalRequest & { headers: Record<string, string> }): Promise<InternalResponse>;
}

/** Attached by the gateway to a request of an operation for a service in its process (decision 104). */
export interface AttachedCall {
  /** replaces the signed principal */
  readonly principal: Principal;
  /** Frees the idempotency key of the request at the service that had it. False: that service holds it. */
  readonly freeKey?: ((holder: KeyHolder) => Promise<boolean>) | undefined;
  /** Makes the body of a response with status 200 complete, with facts of another service (decision 109). */
  readonly complete?: ((body: Buffer) => Promise<Buffer>) | undefined;
  /** set by the service: the body of its response with a status of 400 or more */
  errorBody?: Buffer;
}

// Known to this module only: no part of a request from outside can set it.
const CALL = Symbol('call');

interface Attached extends IncomingMessage {
  [CALL]?: AttachedCall;
}

export function attachCall(request: Attached, call: AttachedCall): void {
  request[CALL] = call;
}

/** @returns undefined for a request that came over HTTP, or without a principal */
export const attachedCall = (request: Attached): AttachedCall | undefined => request[CALL];

export interface InternalRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  /** sent instead of a JSON body: a raw message, or the stream of an import */
  raw?: RawBody;
  /** in addition to the headers of every request between services */
  headers?: Readonly<Record<string, string>>;
  /** the name of the operator on whose behalf the service calls */
  operator?: string;
  /** aborted when the response is no longer needed: the service sees its caller disconnect */
  signal?: AbortSignal;
}

export interface RawBody {
  readonly bytes: Buffer | Readable;
  readonly contentType: string;
  /** upper bound of a stream's length: the service reserves no more memory for it */
  readonly maxBytes?: number;
  /** the account whose share of the memory for large bodies it uses; the account of the path when left out */
  readonly account?: string;
}

export interface InternalResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

export interface RemoteService {
  pool: Pool;
  /** for bodies that arrive at the speed of a client: each caller bounds the number of its streams */
  streams: Pool;
  /** path prefix of the service's URL */
  prefix: string;
}

// Many connections balance over replicas behind one address, and their age is capped so that new
// replicas get work.
const CONNECTIONS = 32;
// An idle connection is closed by us after this time: a stopping service could close it at the moment at which a
// request is written, and the caller would not know whether that request was processed.
const IDLE_MS = 1_000;

/** The location of each service: in this process or at a URL. */
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

  /** Sets the URL of a service whose port is known only once it listens. */
  setUrl(service: ServiceName, url: string): void {
    this.urls[service] = url;
  }

  /** @throws Error when the service has no URL */
  remoteOf(service: ServiceName): RemoteService {
    const known = this.remote.get(service);
    if (known) return known;
    const url = this.urls[service];
    if (url === undefined) throw new Error(`the ${service} service has no URL: set it in the settings`);
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
