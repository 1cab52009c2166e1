export { OperatorServer } from './operator-server.js';
export type { OperatorRequest, OperatorRoute, OperatorServerOptions } from './operator-server.js';
export { addOperatorRoutes } from './operator-routes.js';
export type { Examination, OperatorPorts } from './operator-routes.js';
