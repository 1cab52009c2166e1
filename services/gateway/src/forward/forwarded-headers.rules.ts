import type { IncomingHttpHeaders } from 'node:http';

/** What the gateway says about a request; whatever a client sent under these names is replaced. */
export interface GatewayHeaders {
  principal: string;
  requestId: string;
  clientIp: string;
}

// Only what services read. The client's authorization, cookies and claims about itself stay here.
const PASSED = ['accept', 'content-length', 'idempotency-key', 'transfer-encoding', 'user-agent'] as const;

/** The head with which a service gets a request. */
export function forwardedHeaders(client: IncomingHttpHeaders, ours: GatewayHeaders): Record<string, string> {
  const headers: Record<string, string> = {
    'x-principal': ours.principal,
    'x-request-id': ours.requestId,
    'x-client-ip': ours.clientIp,
  };
  for (const name of PASSED) {
    const value = client[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const hasBody = client['transfer-encoding'] !== undefined || client['content-length'] !== undefined;
  // a missing type is read as JSON (spec 1-platform §1.4); any other was refused
  if (hasBody) headers['content-type'] = 'application/json';
  return headers;
}

// Belong to one connection (RFC 9110 §7.6.1), or are the gateway's own.
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

/** The head with which the client gets a service's answer. */
export function returnedHeaders(
  service: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(service).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !NOT_RETURNED.has(entry[0]),
    ),
  );
}
