export { GatewayListeners } from './gateway-listeners.js';
export { GATEWAY_SERVICE, gatewayService } from './gateway.module.js';
export { InProcessBuckets } from './rate-limits/buckets.js';
export type { TakeTokens, TokenRequest } from './rate-limits/elsewhere.buckets.js';
