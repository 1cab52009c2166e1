export { GatewayListeners } from './gateway-listeners.js';
export { GATEWAY_SERVICE } from './gateway.module.js';
export { OperatorPages } from './console/console-pages.js';
export { OperatorServer, operatorWays } from './operator/operator-server.js';
export { Operators } from './operator/operators.js';
export { addOperatorRoutes } from './operator/operator-routes.js';
export { SDK_CALLS } from './dialects/sdk-calls.table.js';
