import type { ServiceDefinition } from '@postmesh/service-host';
import { GatewayModule } from './gateway.module.js';

/** Keeps nothing: no database, no events. */
export const GATEWAY_SERVICE: ServiceDefinition = { name: 'gateway', module: GatewayModule };
