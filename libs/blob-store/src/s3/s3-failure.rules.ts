import { Failure } from '@postmesh/contracts';

/** The HTTP status in the client's errors (`$metadata`), when a server responded at all. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined;
  const metadata: unknown = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** There is no such object; a missing bucket is another error. */
export function isMissing(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || (statusOf(error) === 404 && nameOf(error) === 'NotFound');
}

/** The requested range begins at the end of the object or after it (RFC 9110 §15.5.17). */
export const isBeyondEnd = (error: unknown): boolean => statusOf(error) === 416;

// The server's codes for "too much at once" and "not now"; some have a status of 4xx.
const PASSING = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'ServiceUnavailable',
  'InternalError',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'OperationAborted',
]);

/** No server responded, or it had temporary trouble: a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Failure || error instanceof TypeError) return false;
  const status = statusOf(error);
  if (status === undefined) return true;
  // 501: the server does not support the request, and a retry will not change that
  return (status >= 500 && status !== 501) || status === 429 || PASSING.has(nameOf(error));
}
