export { deliver } from './deliver.js';
export { hearEvents } from './heard-events.js';
export type { HeardEvents, Listening } from './heard-events.js';
export { DEFAULT_ACCOUNT, startTestService } from './start-test-service.js';
export type {
  TestCaller,
  TestRequest,
  TestResponse,
  TestService,
  TestServiceOptions,
} from './start-test-service.js';
