import { ApiError, failureKind, ApiErrors } from '@postmesh/contracts';
import type { Exchange } from './exchange.js';

// A body of this size is read to its end, so that the connection serves the next request.
const READ_TO_END_BYTES = 64 * 1024;

/** Every error in the contract's form; an unexpected one never tells what it was. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (failureKind(error) === 'transient') {
    return new ApiError(503, 'service temporarily unavailable', { 'retry-after': '1' });
  }
  return ApiErrors.internal();
}

/** Responses an error without having read the body. */
export function refuse({ request, response, frame }: Exchange, error: ApiError): void {
  if (response.headersSent) {
    // half an answer cannot be taken back; a cut connection tells that it is not whole
    response.destroy();
    return;
  }
  const body = JSON.stringify({ message: error.message });
  const unread = frame.present && !request.complete;
  const short = frame.length !== undefined && frame.length <= READ_TO_END_BYTES;
  const close = unread && (!short || request.headers.expect !== undefined);
  if (unread) response.once('finish', () => request.resume());
  response.writeHead(error.status, {
    ...error.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(close ? { connection: 'close' } : {}),
  });
  response.end(body);
}
