import { ACCOUNTS_SERVICE } from '@postmesh/accounts';
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { DOMAINS_SERVICE } from '@postmesh/domains';
import { GATEWAY_SERVICE } from '@postmesh/gateway';
import { MARKETING_SERVICE } from '@postmesh/marketing';
import { MESSAGES_SERVICE } from '@postmesh/messages';
import type { ServiceDefinition } from '@postmesh/service-host';
import { WEBHOOK_DISPATCHER_SERVICE } from '@postmesh/webhook-dispatcher';
import { WEBHOOKS_SERVICE } from '@postmesh/webhooks';

/** The services behind the gateway, each after those that it asks. */
export const INNER_SERVICES: readonly ServiceDefinition[] = [
  ACCOUNTS_SERVICE,
  DOMAINS_SERVICE,
  MESSAGES_SERVICE,
  MARKETING_SERVICE,
  WEBHOOKS_SERVICE,
  WEBHOOK_DISPATCHER_SERVICE,
];

/** Delivers in a thread of its own unless POSTMESH_WORKER_THREADS is off. */
export const DELIVERY_SERVICE = DELIVERY_WORKER_SERVICE;

/** Opens its doors last and closes them first. */
export const FRONT_SERVICE = GATEWAY_SERVICE;
