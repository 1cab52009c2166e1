import { ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import { z } from 'zod';
import {
  CallFilter,
  DeliveryFilter,
  EndpointDeliveryDetail,
  EndpointDeliveryPage,
  MessageCalls,
} from './delivery-log/endpoint-delivery.schema.js';
import { DISABLED } from './delivery-log/owned-endpoints.js';
import { EndpointReplay, EndpointReplayList, ReplayBody } from './replay/replay.schema.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;
const notFound = { status: 404, when: says(ApiErrors.notFound('webhook or route')) } as const;
const noDelivery = { status: 404, when: says(ApiErrors.notFound('webhook delivery')) } as const;
const disabled = {
  status: 409,
  when: `${says(DISABLED('webhook'))} or ${says(DISABLED('route'))}`,
} as const;

const Replayed = z.object({
  delivery_id: z.uuid().meta({ description: 'The new delivery.' }),
  replay_of: z.uuid(),
});

/** No operation of the API is served here. */
export const API_DOCUMENT: ServiceDocument = {};

/** Operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  'endpoint-deliveries.list': {
    summary: 'List the deliveries of a webhook or a route',
    description: 'Newest first, as long as they are kept: seven days by default.',
    query: DeliveryFilter,
    paginated: true,
    response: { status: 200, description: 'One page of deliveries.', schema: EndpointDeliveryPage },
    apiErrors: [notFound],
  },
  'message-calls.list': {
    summary: 'List the calls for a message',
    description:
      'Those of all webhooks and routes of the account, oldest first, as long as they are kept; up to a hundred. Empty for a message of another account.',
    query: CallFilter,
    response: { status: 200, description: 'The calls.', schema: MessageCalls },
  },
  'endpoint-deliveries.get': {
    summary: 'Get a delivery with its request and answers',
    response: { status: 200, description: 'The delivery.', schema: EndpointDeliveryDetail },
    apiErrors: [notFound, noDelivery],
  },
  'endpoint-deliveries.replay': {
    summary: 'Repeat a delivery',
    description: 'Makes an ended delivery again, whatever its outcome, with the same `webhook-id`.',
    response: { status: 202, description: 'It is made again.', schema: Replayed },
    apiErrors: [
      notFound,
      noDelivery,
      disabled,
      { status: 409, when: 'It is being repeated already, or its body was not kept.' },
    ],
  },
  'endpoint-replays.create': {
    summary: 'Repeat deliveries since a time',
    description:
      'Makes the deliveries since then again, in the background: those without success (`recover`), or all of them. Each has the same `webhook-id` as before. A second request of the same kind restarts from the earlier time.',
    body: ReplayBody,
    example: { kind: 'recover', since: '2026-03-01T09:00:00Z' },
    response: { status: 202, description: 'It has begun.', schema: EndpointReplay },
    apiErrors: [notFound, disabled, { status: 409, when: 'One of another kind is running.' }],
  },
  'endpoint-replays.list': {
    summary: 'List repetitions',
    description: 'The last hundred, newest first.',
    response: { status: 200, description: 'The repetitions.', schema: EndpointReplayList },
    apiErrors: [notFound],
  },
  'endpoint-replays.get': {
    summary: 'Get a repetition with its counts',
    response: { status: 200, description: 'The repetition.', schema: EndpointReplay },
    apiErrors: [notFound, { status: 404, when: says(ApiErrors.notFound('replay')) }],
  },
};
