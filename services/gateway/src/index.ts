export { GatewayServer } from './doors/gateway-server.js';
export type { OpenDoors } from './doors/gateway-server.js';
export { GATEWAY_SERVICE } from './gateway.definition.js';
