export { OperatorServer } from './operator-server.js';
export { Operators } from './operators.js';
export { addOperatorRoutes } from './operator-routes.js';
