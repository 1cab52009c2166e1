import type { z } from 'zod';
import { Transient, type ServiceName } from '@postmesh/contracts';
import { isWorthAnotherTry } from './another-try.rules.js';
import {
  BODY_ACCOUNT_HEADER,
  BODY_MAX_BYTES_HEADER,
  type InternalRequest,
  type InternalResponse,
  type RawBody,
  type ServiceDirectory,
} from './service-directory.js';
import type { ServiceTokens } from './tokens.js';

export const SERVICE_TOKEN_HEADER = 'x-service-token';
/** Header with the name of the calling operator; trusted only together with a service token. */
export const OPERATOR_HEADER = 'x-operator';

// A stream is answered after all of it is stored; services read no request for longer than this.
const STREAM_TIMEOUT_MS = 300_000;

/** Calls from one service to another: in process when both run in this process, else over HTTP (architecture §2). */
export class InternalClient {
  constructor(
    private readonly directory: ServiceDirectory,
    private readonly tokens: ServiceTokens,
  ) {}

  /**
   * @returns the parsed response for a 2xx, undefined for a 404
   * @throws Transient when the service cannot be reached or responds with another status; ZodError when the body
   * does not match the schema; the reason of the signal
   */
  async request<S extends z.ZodType>(
    service: ServiceName,
    request: InternalRequest,
    schema: S,
  ): Promise<z.infer<S> | undefined> {
    const response = await this.send(service, request);
    if (response.status === 404) return undefined;
    if (response.status < 200 || response.status > 299) {
      throw new Transient(
        `${service} responded ${response.status} to ${request.method} ${pathOnly(request.path)}`,
      );
    }
    return schema.parse(JSON.parse(response.bytes.toString() || 'null'));
  }

  /**
   * Any HTTP response is returned unchanged. A connection that was not made, or broke during a GET, is tried once more.
   * @throws Transient when the service cannot be reached; the reason of the signal
   */
  async send(service: ServiceName, request: InternalRequest): Promise<InternalResponse> {
    const { signal } = request;
    signal?.throwIfAborted();
    const headers: Record<string, string> = {
      ...request.headers,
      [SERVICE_TOKEN_HEADER]: this.tokens.make(service),
      ...(request.operator === undefined ? {} : { [OPERATOR_HEADER]: request.operator }),
      ...(request.raw
        ? rawHeaders(request.raw)
        : request.body === undefined
          ? {}
          : { 'content-type': 'application/json' }),
    };
    const local = this.directory.findLocal(service);
    // a stream is read once
    const attempt = { method: request.method, untouched: !isStreamed(request) };
    for (let tries = 1; ; tries += 1) {
      try {
        const response = local
          ? await local.inject({ ...request, headers })
          : await this.overHttp(service, request, headers);
        signal?.throwIfAborted();
        return response;
      } catch (error) {
        signal?.throwIfAborted();
        if (tries === 1 && isWorthAnotherTry(error, attempt)) continue;
        throw new Transient(`${service} cannot be reached`, undefined, { cause: error });
      }
    }
  }

  private async overHttp(
    service: ServiceName,
    request: InternalRequest,
    headers: Record<string, string>,
  ): Promise<InternalResponse> {
    const { pool, streams, prefix } = this.directory.remoteOf(service);
    const isStream = isStreamed(request);
    const response = await (isStream ? streams : pool).request({
      method: request.method,
      path: prefix + request.path,
      headers,
      body: request.raw?.bytes ?? (request.body === undefined ? null : JSON.stringify(request.body)),
      signal: request.signal ?? null,
      ...(isStream ? { headersTimeout: STREAM_TIMEOUT_MS } : {}),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes: Buffer.from(await response.body.arrayBuffer()),
    };
  }
}

const isStreamed = ({ raw }: InternalRequest): boolean => raw !== undefined && !Buffer.isBuffer(raw.bytes);

const rawHeaders = ({ contentType, maxBytes, account }: RawBody): Record<string, string> => ({
  'content-type': contentType,
  ...(maxBytes === undefined ? {} : { [BODY_MAX_BYTES_HEADER]: String(maxBytes) }),
  ...(account === undefined ? {} : { [BODY_ACCOUNT_HEADER]: account }),
});

const pathOnly = (path: string) => path.split('?')[0];
