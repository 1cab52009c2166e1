export { Postmesh, type PostmeshOptions } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  NoResponseError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  PostmeshError,
  RateLimitError,
  ServerError,
  WebhookVerificationError,
} from './errors.ts';
export { paginate, type Page } from './paginate.ts';
export type { RetryOptions } from './retries.ts';
export { verifyWebhook, type WebhookCall, type WebhookEvent } from './webhooks.ts';
export type * from './generated/types.gen.ts';
