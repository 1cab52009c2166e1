export { DEFAULT_ACCOUNT, startTestService } from './start-test-service.js';
export type {
  TestCaller,
  TestRequest,
  TestResponse,
  TestService,
  TestServiceOptions,
} from './start-test-service.js';
