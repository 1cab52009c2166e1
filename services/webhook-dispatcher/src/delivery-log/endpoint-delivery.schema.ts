import { z } from 'zod';
import { pageOf, Timestamp } from '@postmesh/contracts';
import { FIXED_HEADERS } from '../attempt/webhook-caller.js';
import type { AttemptRow, DeliveryRow, WholeDelivery } from './endpoint-deliveries.js';

// More of a body is not shown: a page of a browser is no place for it.
const SHOWN_BODY = 65_536;

export const DeliveryFilter = z.object({
  state: z.enum(['ended', 'failed', 'waiting']).default('ended').meta({
    description:
      '`ended`: with any outcome; `failed`: ended without success; `waiting`: in flight, or due later.',
  }),
});

export const CallFilter = z.object({
  message_id: z.uuid().meta({ description: 'The id of the message.' }),
});

const Delivery = z.object({
  object: z.literal('endpoint_delivery'),
  id: z.uuid(),
  created_at: Timestamp.meta({ description: 'When it ended; of one that waits, when it was requested.' }),
  endpoint_id: z.uuid(),
  target: z.enum(['webhook', 'route']),
  event_type: z.string().meta({ example: 'message.delivered' }),
  webhook_message_id: z
    .string()
    .meta({ description: 'The header `webhook-id`.', example: 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01' }),
  state: z.enum(['succeeded', 'dropped', 'stopped', 'set-aside', 'missed', 'waiting', 'in_flight']).meta({
    description:
      '`dropped`: its tries are used up; `stopped`: its endpoint was disabled or deleted; `set-aside`: the account had too many waiting, it follows later; `missed`: its webhook was disabled.',
  }),
  attempts: z.number().int(),
  status: z.number().int().nullable().meta({ description: 'The status of the last answer.' }),
  reason: z.string().nullable().meta({ description: 'Why it failed, or waits.', example: 'status 503' }),
  next_attempt_at: Timestamp.nullable(),
  replay_of: z.uuid().nullable().meta({ description: 'The delivery that this one repeats.' }),
  recovered_at: Timestamp.nullable().meta({ description: 'When a repetition of it succeeded.' }),
  can_be_replayed: z.boolean(),
});

const EndpointDelivery = Delivery.meta({
  id: 'EndpointDelivery',
  description: 'The call of a webhook or a route for one event, with its tries.',
});
export const EndpointDeliveryPage = pageOf(EndpointDelivery);
export const MessageCalls = z
  .object({ object: z.literal('list'), data: z.array(EndpointDelivery) })
  .meta({ id: 'MessageCalls', description: 'The calls for a message.' });

const Attempt = z
  .object({
    attempt: z.number().int().meta({ example: 1 }),
    started_at: Timestamp,
    duration_ms: z.number().int(),
    outcome: z.enum(['succeeded', 'retried', 'dropped', 'unknown']),
    status: z.number().int().nullable(),
    redirects: z.number().int(),
    reason: z.string().nullable().meta({ example: 'status 503' }),
    request_headers: z.record(z.string(), z.string()).meta({
      description:
        'As they were sent, without the signature, which is not kept; in a dialect theirs were sent.',
    }),
    response: z.string().nullable().meta({
      description: 'The beginning of the answer, up to 512 bytes.',
      example: 'out of paper',
    }),
  })
  .meta({ id: 'EndpointAttempt', description: 'One call.' });

export const EndpointDeliveryDetail = Delivery.extend({
  request_body: z
    .string()
    .nullable()
    .meta({
      description: `The JSON that is posted, in a dialect the one that was translated, up to ${SHOWN_BODY} characters. null: \`body_omitted\` says why.`,
      example: '{"type":"message.delivered"}',
    }),
  body_omitted: z.enum(['truncated', 'too_large', 'of_message', 'role']).nullable().meta({
    description:
      '`truncated`: more follows; `too_large`: it was not kept; `of_message`: it is made of `message_id` at each try; `role`: the role of the member reads no contents.',
  }),
  message_id: z.string().nullable().meta({ description: 'The inbound message that a route is called for.' }),
  tries: z.array(Attempt).meta({ description: 'Oldest first; up to a hundred.' }),
}).meta({ id: 'EndpointDeliveryDetail', description: 'A delivery with its request and its answers.' });

const resourceOf = (row: DeliveryRow): z.infer<typeof EndpointDelivery> => ({
  object: 'endpoint_delivery',
  id: row.id,
  created_at: row.created_at.toISOString(),
  endpoint_id: row.endpoint_id,
  target: row.target,
  event_type: row.event_type,
  webhook_message_id: row.webhook_message_id,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  reason: row.reason,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  replay_of: row.replay_of,
  recovered_at: row.recovered_at?.toISOString() ?? null,
  can_be_replayed: row.can_be_replayed,
});
export const deliveryResource = resourceOf;

/** @param contents whether the role reads contents of messages */
export function deliveryDetail(
  row: WholeDelivery,
  tries: readonly AttemptRow[],
  contents: boolean,
): z.infer<typeof EndpointDeliveryDetail> {
  const route = row.route === null ? null : (JSON.parse(row.route) as { message_id: string });
  return {
    ...resourceOf(row),
    ...shownBody(row, contents),
    message_id: route?.message_id ?? null,
    tries: tries.map((attempt) => ({
      ...attempt,
      started_at: attempt.started_at.toISOString(),
      request_headers: {
        ...FIXED_HEADERS,
        'webhook-id': row.webhook_message_id,
        'webhook-timestamp': String(Math.floor(attempt.started_at.getTime() / 1_000)),
      },
      response: contents ? attempt.response : null,
    })),
  };
}

type Shown = Pick<z.infer<typeof EndpointDeliveryDetail>, 'request_body' | 'body_omitted'>;

function shownBody({ body, route }: WholeDelivery, contents: boolean): Shown {
  if (!contents) return { request_body: null, body_omitted: 'role' };
  if (body === null || body === '')
    return { request_body: null, body_omitted: route === null ? 'too_large' : 'of_message' };
  if (body.length <= SHOWN_BODY) return { request_body: body, body_omitted: null };
  return { request_body: body.slice(0, SHOWN_BODY), body_omitted: 'truncated' };
}
