// @ts-check
// docs/asyncapi.json: the events as an AsyncAPI 3.0 document, made from their contracts, publishers and consumers. A
// stream is a channel, an event version a message, a publisher or consumer an operation.
import { z } from 'zod';

// Version of the document; each event has its own.
const VERSION = '1.0.0';
const DESCRIPTION = `Events between the services of Postmesh. A stream is a topic of Kafka, or a part of the log of the embedded bus. \
Events are delivered at least once, in order per key. A consumer lets unknown fields pass; inside a version only optional \
fields are added.`;

// An example is the same every time.
const EXAMPLE = {
  id: '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
  occurred_at: '2026-11-20T09:30:00.000Z',
  account_id: '0199a1b2-0000-7000-8000-000000000001',
};

/**
 * @param {Record<string, any>} contracts exports of the contracts (contracts.mjs)
 * @param {import('./event-topology.mjs').EventUse[]} topology
 * @returns {string} JSON
 */
export function asyncDocument(contracts, topology) {
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'Postmesh events',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: byName(contracts.STREAMS, (stream) => channel(stream, topology)),
    operations: Object.fromEntries(topology.flatMap(operations)),
    components: {
      parameters: {
        prefix: {
          description: 'What POSTMESH_KAFKA_TOPIC_PREFIX puts before the names of topics.',
          default: 'postmesh.',
        },
      },
      tags: byName(contracts.SERVICES, (name) => ({
        name,
        description: `Operations of the service ${name}.`,
      })),
      messages: Object.fromEntries(topology.map(({ event }) => [event.pattern, message(event)])),
      schemas: {
        EventEnvelope: schemaOf(contracts.EventEnvelope),
        ...Object.fromEntries(topology.map(({ event }) => [event.pattern, schemaOf(event.schema)])),
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * @template T
 * @param {readonly string[]} names @param {(name: string) => T} make
 * @returns {Record<string, T>}
 */
const byName = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));

/** @param {string} stream @param {import('./event-topology.mjs').EventUse[]} topology */
function channel(stream, topology) {
  const patterns = topology.filter(({ event }) => event.stream === stream).map(({ event }) => event.pattern);
  return {
    address: `{prefix}${stream}`,
    description:
      patterns.length > 0
        ? `The stream ${stream}.`
        : `The stream ${stream}, on which nothing is published yet.`,
    parameters: { prefix: { $ref: '#/components/parameters/prefix' } },
    messages: byName(patterns, (pattern) => ({ $ref: `#/components/messages/${pattern}` })),
  };
}

/** @param {import('./event-topology.mjs').EventUse} use @returns {[id: string, operation: object][]} */
function operations({ event: { pattern, stream }, publishers, consumers }) {
  /** @param {'send' | 'receive'} action @param {string} service @param {string} summary */
  const operation = (action, service, summary) => ({
    action,
    summary,
    tags: [{ $ref: `#/components/tags/${service}` }],
    channel: { $ref: `#/channels/${stream}` },
    messages: [{ $ref: `#/channels/${stream}/messages/${pattern}` }],
  });
  return [
    ...publishers.map(
      (service) =>
        /** @type {[string, object]} */ ([
          `${service}.publish.${pattern}`,
          operation('send', service, `${service} publishes ${pattern}.`),
        ]),
    ),
    ...consumers.map((name) => {
      const [service = ''] = name.split('.');
      return /** @type {[string, object]} */ ([
        name,
        operation('receive', service, `${service} consumes ${pattern}.`),
      ]);
    }),
  ];
}

/** @param {any} event */
function message({ type, version, stream, pattern, examples, make }) {
  return {
    name: pattern,
    title: pattern,
    contentType: 'application/json',
    payload: {
      allOf: [
        { $ref: '#/components/schemas/EventEnvelope' },
        {
          type: 'object',
          properties: {
            type: { type: 'string', const: type },
            version: { type: 'integer', const: version },
            stream: { type: 'string', const: stream },
            data: { $ref: `#/components/schemas/${pattern}` },
          },
        },
      ],
    },
    examples: examples.map((/** @type {unknown} */ data) => ({
      payload: { ...make(data, { account_id: EXAMPLE.account_id }), ...EXAMPLE },
    })),
  };
}

/** Draft 7, which every parser of AsyncAPI supports; `input`: a consumer must accept it. @param {z.ZodType} schema */
function schemaOf(schema) {
  const made = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  // the document has it once for all
  delete made.$schema;
  return made;
}
