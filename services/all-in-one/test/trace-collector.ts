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

/** A collector of traces by OTLP over HTTP. */
export class TraceCollector {
  private constructor(private readonly receiver: HttpReceiver) {}

  static async start(): Promise<TraceCollector> {
    return new TraceCollector(await startHttpReceiver());
  }

  /** Traces all requests, and exports to this collector. */
  get settings(): Record<string, string> {
    return {
      POSTMESH_TRACES_PER_THOUSAND: '1000',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.receiver.url.replace(/\/$/, ''),
    };
  }

  /** The same for some of the requests, under load. */
  get settingsForMany(): Record<string, string> {
    return { ...this.settings, POSTMESH_TRACES_PER_THOUSAND: '100' };
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** All received text. */
  get text(): string {
    return this.receiver.requests.map(({ body }) => body.toString()).join('\n');
  }

  /** The spans of the trace in which this message was delivered. */
  ofMessage(messageId: string): readonly CollectedSpan[] {
    return this.byMessage().get(messageId) ?? [];
  }

  /** The same for every message that was attempted in a trace. */
  byMessage(): Map<string, readonly CollectedSpan[]> {
    const spans = this.spans();
    const traces = new Map<string, CollectedSpan[]>();
    for (const span of spans) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
    const attempts = spans.filter(({ name }) => name === 'delivery.attempt');
    return new Map(
      attempts.map(({ traceId, attributes }) => [
        String(attributes['postmesh.message_id']),
        traces.get(traceId) ?? [],
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

/** The path of one message, each step with its predecessor. */
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
/** The path of a message that a client submits by SMTP. */
export const STEPS_OF_A_SUBMISSION = stepsAfter('smtp.submission', 'submissions.accept');

/**
 * A message with several events has several spans of one name.
 * @returns the steps that were not received, or only after another predecessor
 */
export function missingSteps(
  spans: readonly CollectedSpan[],
  steps: Readonly<Record<string, string | undefined>>,
): string[] {
  const nameOf = ({ service, name }: CollectedSpan) => `${service} ${name}`;
  const names = new Map(spans.map((span) => [span.spanId, nameOf(span)]));
  const isReceived = (step: string, before: string | undefined) =>
    spans.some((span) => nameOf(span) === step && names.get(span.parent ?? '') === before);
  return Object.entries(steps)
    .filter(([step, before]) => !isReceived(step, before))
    .map(([step]) => step);
}
