import { Inject, Injectable } from '@nestjs/common';
import { Metrics, type Logger, type Tracer } from '@postmesh/observability';
import { LOGGER, TRACER } from '@postmesh/service-host';
import type { Exchange } from './exchange.js';
import { RefusedApiRequests } from './refused-api-requests.js';

/**
 * One wide line and two metrics per request, and a row for the account of one that was refused. Paths stay out of the line:
 * they may name addresses, or hold the token of a link.
 */
@Injectable()
export class RequestLog {
  private readonly requests;
  private readonly durations;

  private readonly lines: Logger;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACER) private readonly tracer: Tracer,
    private readonly refused: RefusedApiRequests,
    metrics: Metrics,
  ) {
    // Every field of the line is named below, so none can be a secret; redaction would cost more than all other checks
    // of a request.
    this.lines = logger.child({}, { redact: [] });
    this.requests = metrics.counter('postmesh_http_requests_total', 'API requests', ['operation', 'status']);
    this.durations = metrics.histogram(
      'postmesh_http_request_seconds',
      'From the head of an API request to the end of its response',
      ['operation'],
    );
  }

  /** Begins the span of a request that passed every check. Trace headers of clients are ignored: they would decide the sampling. */
  forwarded(exchange: Exchange, operation: string): void {
    const beganAt = Date.now() - (performance.now() - exchange.begunAt);
    exchange.span = this.tracer.begin(operation, 'server', beganAt);
  }

  ended(exchange: Exchange): void {
    this.refused.ended(exchange);
    const { request, response, operation, key } = exchange;
    const operationId = operation?.id ?? exchange.dialect?.routeId ?? exchange.page ?? 'unknown';
    const finished = response.writableFinished;
    const status = response.headersSent ? response.statusCode : 0;
    const durationMs = performance.now() - exchange.begunAt;
    exchange.span?.end({
      'http.response.status_code': status,
      'postmesh.request_id': exchange.requestId,
      'postmesh.account_id': key?.principal.account_id,
    });
    this.requests.inc({ operation: operationId, status });
    this.durations.observe({ operation: operationId }, durationMs / 1_000);
    // its fields cost more than the check
    if (!this.lines.isLevelEnabled('info')) return;
    this.lines.info(
      {
        event: 'request.served',
        request_id: exchange.requestId,
        method: request.method,
        operation: operationId,
        to: operation?.service,
        status,
        duration_ms: Math.round(durationMs * 100) / 100,
        account_id: key?.principal.account_id,
        key_id: key?.principal.key_id,
        client_ip: exchange.clientIp,
        bytes_in: exchange.bytesIn ?? exchange.frame.length,
        bytes_out: exchange.bytesOut,
        trace: exchange.span?.traceparent,
        ...(finished ? {} : { cut: true }),
      },
      'request served',
    );
  }

  /** @param expected the failure of a dependency, not a bug */
  failed(exchange: Exchange, error: unknown, expected: boolean): void {
    this.logger[expected ? 'warn' : 'error'](
      {
        event: 'request.failed',
        err: error,
        request_id: exchange.requestId,
        operation: exchange.operation?.id ?? exchange.dialect?.routeId,
        to: exchange.operation?.service,
      },
      'request failed in the gateway',
    );
  }
}
