export { OperatorServer } from './operator-server.js';
export { Operators } from './operators.js';
export { withFamilyUsage } from './family-usage.js';
export { addOperatorRoutes } from './operator-routes.js';
