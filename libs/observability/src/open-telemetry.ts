import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.js';
import type { Span, SpanAttributes, SpanKind, Tracer, Tracing } from './tracing.js';

const EXPORT_EVERY_MS = 1_000;
const EXPORT_MS = 10_000;
const STOP_MS = 3_000;
// While the collector is unavailable, this many spans wait, and further ones are dropped.
const MAX_WAITING = 2_048;

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
};

// Version 00 of `traceparent` in W3C Trace Context, sampled: the only form that Postmesh writes.
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

/**
 * Spans by OpenTelemetry, sent by OTLP over HTTP (JSON). The exporter reads its endpoint from the standard variables
 * `OTEL_EXPORTER_OTLP_*`, and `OTEL_RESOURCE_ATTRIBUTES`. Sampling is decided once, at the first step: without a
 * `traceparent` each following step costs one comparison.
 */
export class OpenTelemetryTracing implements Tracing {
  private readonly processor: BatchSpanProcessor;
  private readonly tracers = new Map<string, OtelTracer>();
  private readonly fromEnvironment = detectResources({ detectors: [envDetector] });

  /** @param share of first steps that are sampled, 0 to 1 */
  constructor(
    private readonly share: number,
    logger: Pick<Logger, 'warn'>,
  ) {
    this.processor = new BatchSpanProcessor({
      exporter: loggingFailures(new OTLPTraceExporter(), logger),
      scheduledDelayMillis: EXPORT_EVERY_MS,
      exportTimeoutMillis: EXPORT_MS,
      maxQueueSize: MAX_WAITING,
    });
  }

  of(service: string): Tracer {
    const tracer = this.tracerOf(service);
    return {
      begin: (name, kind, atMs) =>
        Math.random() < this.share ? start(tracer, ROOT_CONTEXT, { name, kind, atMs }) : undefined,
      follow: (traceparent, name, kind, atMs) => {
        const parent = traceparent ? contextOf(traceparent) : undefined;
        return parent && start(tracer, parent, { name, kind, atMs });
      },
    };
  }

  async stop(): Promise<void> {
    const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
    await Promise.race([this.processor.shutdown().catch(() => undefined), limit]);
  }

  /** Services of one process share the exporter and keep their names. */
  private tracerOf(service: string): OtelTracer {
    const known = this.tracers.get(service);
    if (known) return known;
    const own = resourceFromAttributes({ 'service.name': service, 'service.namespace': 'postmesh' });
    const provider = new TracerProvider({
      resource: this.fromEnvironment.merge(own),
      sampler: new AlwaysOnSampler(),
      spanProcessors: [this.processor],
    });
    const tracer = provider.getTracer('postmesh');
    this.tracers.set(service, tracer);
    return tracer;
  }
}

function contextOf(traceparent: string): Context | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

function start(
  tracer: OtelTracer,
  parent: Context,
  { name, kind, atMs }: { name: string; kind: SpanKind; atMs: number | undefined },
): Span {
  const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: atMs ?? Date.now() }, parent);
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    end: (attributes) => end(span, attributes),
    fail: (error, attributes) => {
      const message = error instanceof Error ? error.name : 'error';
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      end(span, attributes);
    },
  };
}

function end(span: OtelSpan, attributes: SpanAttributes = {}): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) span.setAttribute(name, value);
  }
  span.end(Date.now());
}

/** Tracing never causes a failure, but lost spans are logged. */
function loggingFailures(exporter: SpanExporter, logger: Pick<Logger, 'warn'>): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) {
          const line = { event: 'traces.export_failed', err: result.error, spans: spans.length };
          logger.warn(line, 'sending traces failed, spans dropped');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
