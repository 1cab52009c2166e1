import type { Settings } from '@postmesh/settings';
import type { Logger } from './logger.js';

export type SpanKind = 'server' | 'client' | 'consumer';
/** Ids, outcomes, codes and numbers. Never an address, a subject, a URL or a foreign text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A traced step of a message. Its parent is the step before, whose context the header `traceparent` of a call, `trace` of
 * an event, or the row of a delivery carries (decision 79).
 */
export interface Span {
  /** for the following steps: `00-<trace id>-<span id>-01` (W3C Trace Context) */
  readonly traceparent: string;
  end(attributes?: SpanAttributes): void;
  /** @param error only its name is recorded */
  fail(error: unknown, attributes?: SpanAttributes): void;
}

/** Traces of one service. There are no spans without tracing, nor for steps that are not sampled. */
export interface Tracer {
  /** The first step; only a share of them is sampled. @param atMs start by `Date.now()` */
  begin(name: string, kind: SpanKind, atMs?: number): Span | undefined;
  /** A further step. @param traceparent of the step before it; an invalid one is not traced */
  follow(
    traceparent: string | null | undefined,
    name: string,
    kind: SpanKind,
    atMs?: number,
  ): Span | undefined;
}

/** Traces of one process (or thread). */
export interface Tracing {
  of(service: string): Tracer;
  /** Sends the remaining spans, within three seconds. */
  stop(): Promise<void>;
}

const NO_TRACER: Tracer = { begin: () => undefined, follow: () => undefined };
export const NO_TRACING: Tracing = { of: () => NO_TRACER, stop: async () => {} };

/** OpenTelemetry is loaded only when tracing is on: it takes a quarter of a second and memory. */
export async function startTracing(
  { tracesPerThousand }: Pick<Settings, 'tracesPerThousand'>,
  logger: Pick<Logger, 'warn'>,
): Promise<Tracing> {
  if (tracesPerThousand === 0) return NO_TRACING;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return new OpenTelemetryTracing(tracesPerThousand / 1_000, logger);
}

/** Runs a step in a span. @param attributes of its result */
export async function traced<R>(
  span: Span | undefined,
  step: () => Promise<R>,
  attributes: (result: R) => SpanAttributes = () => ({}),
): Promise<R> {
  if (span === undefined) return step();
  try {
    const result = await step();
    span.end(attributes(result));
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}
