export { GatewayListeners } from './gateway-listeners.js';
export { GATEWAY_SERVICE } from './gateway.module.js';
