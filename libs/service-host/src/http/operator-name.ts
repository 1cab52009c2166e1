import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OPERATOR_HEADER } from '@postmesh/internal-http';
import { FIRST_OPERATOR } from '@postmesh/settings';
import { header } from './api-call.js';

/**
 * Parameter decorator for `@Internal()` methods: the name of the operator who asks. Believed because only
 * the operator interface has a service token and sends it; a gateway of an older release sends none.
 */
export const OperatorName = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request: FastifyRequest = context.switchToHttp().getRequest();
  return header(request, OPERATOR_HEADER) || FIRST_OPERATOR;
});
