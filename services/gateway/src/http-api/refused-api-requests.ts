import { Injectable } from '@nestjs/common';
import type { RefusedRequest } from '@postmesh/accounts-contract';
import type { Principal } from '@postmesh/contracts';
import { attachedCall } from '@postmesh/http';
import {
  loggedPath,
  loggedText,
  messageOf,
  withoutSecret,
} from '../refused-requests/refused-request.rules.js';
import { RefusedRequests } from '../refused-requests/refused-requests.js';
import { Callers, keySecret } from './callers.js';
import type { Exchange } from './exchange.js';

/** Hands requests with an API key that had a 4xx or 5xx to the request log of their account (decision 124). */
@Injectable()
export class RefusedApiRequests {
  constructor(
    private readonly callers: Callers,
    private readonly refused: RefusedRequests,
  ) {}

  /** A page shows the errors of its own requests; one without a known key belongs to no account. */
  ended(exchange: Exchange): void {
    const { response, isConsole, page } = exchange;
    const { statusCode: status, headersSent } = response;
    if (status < 400 || !headersSent || isConsole || page !== undefined) return;
    const { principal } = exchange.key ?? this.callers.known(exchange) ?? {};
    if (principal) this.refused.add(principal.account_id, () => describe(exchange, principal, status));
  }
}

function describe(exchange: Exchange, { key_id }: Principal, status: number): RefusedRequest {
  const { request, requestId, operation, clientIp } = exchange;
  const secret = keySecret(exchange);
  const text = (given: string, max: number) => loggedText(withoutSecret(given, secret), max);
  const shown = exchange.errorShown ?? attachedCall(request)?.errorBody;
  return {
    id: requestId,
    at: new Date().toISOString(),
    protocol: 'http',
    key_id,
    method: text(request.method ?? '', 19),
    operation: operation?.id ?? null,
    path: text(loggedPath(request.url ?? ''), 1_000),
    status,
    message: text(messageOf(shown, status), 500),
    request_id: requestId,
    client_ip: clientIp,
    user_agent: text(request.headers['user-agent'] ?? '', 300),
    duration_ms: Math.round(performance.now() - exchange.begunAt),
  };
}
