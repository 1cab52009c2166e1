import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

/** OTLP/HTTP with JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface ExportedTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Whoever collects traces: takes them by OTLP over HTTP. */
export class TraceCollector {
  private constructor(private readonly receiver: HttpReceiver) {}

  static async start(): Promise<TraceCollector> {
    return new TraceCollector(await startHttpReceiver());
  }

  /** All requests are traced, and traces come here. */
  get settings(): Record<string, string> {
    return {
      POSTMESH_TRACES_PER_THOUSAND: '1000',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.receiver.url.replace(/\/$/, ''),
    };
  }

  /** The same for some of the requests, where there are many. */
  get settingsForMany(): Record<string, string> {
    return { ...this.settings, POSTMESH_TRACES_PER_THOUSAND: '100' };
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Everything that came, as it came. */
  get text(): string {
    return this.receiver.requests.map(({ body }) => body.toString()).join('\n');
  }

  /** The spans of the trace in which this message was delivered, by what they are: `<service> <name>`. */
  ofMessage(messageId: string): Map<string, CollectedSpan> {
    return this.byMessage().get(messageId) ?? new Map();
  }

  /** The same of every message that was attempted in a trace. */
  byMessage(): Map<string, Map<string, CollectedSpan>> {
    const spans = this.spans();
    const traces = new Map<string, CollectedSpan[]>();
    for (const span of spans) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
    const attempts = spans.filter(({ name }) => name === 'delivery.attempt');
    return new Map(
      attempts.map(({ traceId, attributes }) => [
        String(attributes['postmesh.message_id']),
        new Map((traces.get(traceId) ?? []).map((span) => [`${span.service} ${span.name}`, span])),
      ]),
    );
  }

  private spans(): CollectedSpan[] {
    return this.receiver.requests
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => (JSON.parse(body.toString()) as ExportedTraces).resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map(({ traceId, spanId, parentSpanId, name, attributes }) => ({
            ...{ traceId, spanId, name, parent: parentSpanId },
            service: String(read(resource.attributes)['service.name']),
            attributes: read(attributes),
          })),
        ),
      );
  }
}

const read = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** The way of one message, each step with the one that it follows. */
const stepsAfter = (gateway: string, messages: string): Readonly<Record<string, string | undefined>> => ({
  [`gateway ${gateway}`]: undefined,
  [`messages ${messages}`]: `gateway ${gateway}`,
  'delivery-worker delivery-worker.intake': `messages ${messages}`,
  'delivery-worker delivery.attempt': 'delivery-worker delivery-worker.intake',
  'messages messages.delivery-outcomes': 'delivery-worker delivery.attempt',
  'webhooks webhooks.match-message-changes': 'messages messages.delivery-outcomes',
  'webhook-dispatcher webhook-dispatcher.intake': 'webhooks webhooks.match-message-changes',
  'webhook-dispatcher webhook.attempt': 'webhook-dispatcher webhook-dispatcher.intake',
});
export const STEPS_OF_A_MESSAGE = stepsAfter('messages.send-conversation', 'messages.send-conversation');
/** Of one that a client submits by SMTP. */
export const STEPS_OF_A_SUBMISSION = stepsAfter('smtp.submission', 'submissions.accept');

/** @returns of each step of a message the step that it follows, as far as they came */
export function stepsOf(spans: ReadonlyMap<string, CollectedSpan>): Record<string, string | undefined> {
  const names = new Map([...spans].map(([name, { spanId }]) => [spanId, name]));
  return Object.fromEntries([...spans].map(([name, { parent }]) => [name, names.get(parent ?? '')]));
}
