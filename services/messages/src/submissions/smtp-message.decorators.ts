import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { SMTP_ENVELOPE_HEADER } from '@postmesh/messages-contract';

/** Parameter decorator: the message in the body of a gateway's request. @throws ApiError 400 */
export const RawMessage = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!Buffer.isBuffer(body)) throw new ApiError(400, 'a raw message is required');
  return body;
});

/** `@Envelope(InboundEnvelope)`: the SMTP envelope in the header of a gateway's request. @throws ApiError 400 */
export const Envelope = (schema: z.ZodType): ParameterDecorator =>
  // not as data of the decorator: Nest takes a schema there for a pipe
  createParamDecorator((_: unknown, context: ExecutionContext): unknown => {
    const header = context.switchToHttp().getRequest<FastifyRequest>().headers[SMTP_ENVELOPE_HEADER];
    try {
      return schema.parse(JSON.parse(Buffer.from(String(header), 'base64url').toString()));
    } catch {
      throw new ApiError(400, `${SMTP_ENVELOPE_HEADER} is not a valid envelope`);
    }
  })();
