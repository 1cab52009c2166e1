export { deliver } from './deliver.js';
export { recordEvents } from './recorded-events.js';
export type { RecordedEvents } from './recorded-events.js';
export { rotateSecrets } from './rotate-secrets.js';
export { transactionsOf, roundTripsWith } from './sent-transactions.js';
export { DEFAULT_ACCOUNT, memberOf, startTestService } from './start-test-service.js';
export type { TestRequest, TestResponse, TestService, TestServiceOptions } from './start-test-service.js';
