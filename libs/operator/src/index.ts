export { OperatorServer } from './operator-server.js';
export type { OperatorRequest, OperatorRoute, OperatorServerOptions } from './operator-server.js';
export { Operators } from './operators.js';
export { addOperatorRoutes } from './operator-routes.js';
export type { OperatorPorts } from './operator-routes.js';
export { examine } from './examine.js';
export type { Examination } from './examine.js';
export { installationJobs } from './installation-jobs.js';
export type { JobsView } from './installation-jobs.js';
