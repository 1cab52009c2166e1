import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, BROWSER_HEADER, FIGURES_HEADER, KEY_ENTRY_HEADER, Transient } from '@postmesh/contracts';
import { isWorthAnotherTry, type Attempt } from '@postmesh/http';
import { ClientGone } from './client-body.js';

/** Headers of the gateway about a request; they replace headers of the client with these names. */
export interface GatewayHeaders {
  /** absent for a service in the same process: the principal is attached to the request */
  principal?: string;
  requestId: string;
  clientIp: string;
  /** of the register of idempotency keys */
  keyEntry?: string | undefined;
  /** the gateway completes the response */
  figuresLater?: boolean;
  /** of a request of the console: the secret of a browser that was sent to the OpenID Connect provider */
  browser?: string | undefined;
  /** present when the request is traced */
  traceparent?: string;
}

// Only headers that services read. The client's authorization, cookies and claims about itself are not forwarded.
const PASSED = ['accept', 'content-length', 'idempotency-key', 'transfer-encoding', 'user-agent'] as const;

/** The head with which a service gets a request. */
export function forwardedHeaders(client: IncomingHttpHeaders, ours: GatewayHeaders): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': ours.requestId,
    'x-client-ip': ours.clientIp,
  };
  if (ours.principal !== undefined) headers['x-principal'] = ours.principal;
  if (ours.keyEntry !== undefined) headers[KEY_ENTRY_HEADER] = ours.keyEntry;
  if (ours.browser !== undefined) headers[BROWSER_HEADER] = ours.browser;
  if (ours.figuresLater) headers[FIGURES_HEADER] = 'later';
  if (ours.traceparent !== undefined) headers['traceparent'] = ours.traceparent;
  for (const name of PASSED) {
    const value = client[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const hasBody = client['transfer-encoding'] !== undefined || client['content-length'] !== undefined;
  // a missing type is read as JSON (spec 1-platform §1.4); any other type was rejected
  if (hasBody) headers['content-type'] = 'application/json';
  return headers;
}

const PASSED_OF_PUBLIC = ['accept-language', 'content-type', ...PASSED] as const;

/** The head with which a service gets the request for a public link: there is no principal. */
export function publicHeaders(
  client: IncomingHttpHeaders,
  ours: Omit<GatewayHeaders, 'principal'>,
): Record<string, string> {
  const given = PASSED_OF_PUBLIC.flatMap((name) => {
    const value = client[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return {
    ...Object.fromEntries(given),
    'x-request-id': ours.requestId,
    'x-client-ip': ours.clientIp,
    ...(ours.browser !== undefined && { [BROWSER_HEADER]: ours.browser }),
  };
}

// Headers of one connection (RFC 9110 §7.6.1), and headers that the gateway sets itself.
const NOT_RETURNED = new Set([
  'connection',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

/** The head with which the client gets a service's response. */
export function returnedHeaders(
  service: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(service).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !NOT_RETURNED.has(entry[0]),
    ),
  );
}

/** 503 when the request was certainly not processed, or only reads; else 500, since the outcome is unknown. */
export function toForwardError(error: unknown, service: string, { method }: Pick<Attempt, 'method'>): Error {
  if (error instanceof ApiError || error instanceof ClientGone) return error;
  if (isWorthAnotherTry(error, { method, untouched: true })) {
    return new Transient(`${service} cannot be reached`, undefined, { cause: error });
  }
  return new Error(`${service} did not respond`, { cause: error });
}
