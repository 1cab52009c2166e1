import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, failureKind, ApiErrors } from '@postmesh/contracts';
import { RunOvertaken } from '@postmesh/idempotency';
import type { Logger } from '@postmesh/observability';

/** Every error leaves in the contract's form, and an unexpected one never tells what it was. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const apiError = toApiError(error);
    // a caller that goes away in the middle of its body is no failure of ours, and hears no answer
    if (apiError.status >= 500 && !(request.raw.destroyed && !request.raw.complete)) {
      this.logger.error(
        {
          err: error,
          request_id: request.headers['x-request-id'],
          method: request.method,
          path: request.url.split('?')[0],
        },
        'request failed',
      );
    }
    sendError(reply, apiError);
  }
}

/** As bytes: to a text Fastify adds a charset, and a replay would then not be what was sent. */
export function sendError(reply: FastifyReply, error: ApiError): void {
  void reply
    .status(error.status)
    .headers({ ...error.headers, 'content-type': 'application/json' })
    .send(Buffer.from(JSON.stringify({ message: error.message })));
}

const OF_CODE: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ApiErrors.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ApiErrors.wrongContentType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ApiErrors.invalidBody,
  FST_ERR_BAD_URL: ApiErrors.unknownPath,
};

const OF_STATUS: Readonly<Record<number, () => ApiError>> = {
  400: ApiErrors.invalidBody,
  404: ApiErrors.unknownPath,
  413: ApiErrors.bodyTooLarge,
  415: ApiErrors.wrongContentType,
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Fastify and Nest have errors of their own; the contract has one for each. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RunOvertaken) return ApiErrors.idempotencyInProgress(1);
  const known =
    OF_CODE[codeOf(error)] ?? (error instanceof HttpException ? OF_STATUS[error.getStatus()] : undefined);
  if (known) return known();
  if (failureKind(error) === 'transient') {
    return new ApiError(503, 'service temporarily unavailable', { 'retry-after': '1' });
  }
  return ApiErrors.internal();
}
