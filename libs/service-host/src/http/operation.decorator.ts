import {
  createParamDecorator,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type ExecutionContext,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/internal';
import type { FastifyRequest } from 'fastify';
import { operationSpec, type ApiResponse, type OperationId, type Principal } from '@postmesh/contracts';
import { OPERATOR_HEADER } from '@postmesh/http';
import { FIRST_OPERATOR } from '@postmesh/settings';

export const OPERATION = 'postmesh:operation';
export const BEFORE_REPLAY = 'postmesh:before-replay';
export const INTERNAL = 'postmesh:internal';

export interface OperationOptions {
  /**
   * Where the scope depends on the body: throws the 403 that this key would get, before a
   * stored response is replayed to it (spec 1-platform §4.3 rule 10).
   * @param body as JSON; undefined when it is not JSON
   * @param replay the stored response
   */
  beforeReplay?: (principal: Principal, body: unknown, replay: ApiResponse) => void;
}

/** Makes a controller method serve an operation: route, scope rule and idempotency come from the table. */
export function Operation(id: OperationId, { beforeReplay }: OperationOptions = {}): MethodDecorator {
  const { method, path } = operationSpec(id);
  const decorators = [
    RequestMapping({ method: RequestMethod[method], path: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    SetMetadata(OPERATION, id),
    SetMetadata(BEFORE_REPLAY, beforeReplay),
  ];
  return (target, name, descriptor) => {
    sortParameters(target.constructor, name);
    for (const decorate of decorators) decorate(target, name, descriptor);
  };
}

/**
 * Nest reads parameters in the order of their decorators, which TypeScript applies from the last to the first; the
 * first error wins. Sorted as they are written, path and query are checked before the body.
 */
function sortParameters(controller: object, method: string | symbol): void {
  const parameters: Record<string, { index: number }> | undefined = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    controller,
    method,
  );
  if (!parameters) return;
  const sorted = Object.entries(parameters).toSorted(([, a], [, b]) => a.index - b.index);
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, Object.fromEntries(sorted), controller, method);
}

/** Marks a controller or method that only services of this installation (and the operator) may call. */
export const Internal = (): ClassDecorator & MethodDecorator => SetMetadata(INTERNAL, true);

/**
 * Parameter decorator for `@Internal()` methods: the name of the operator. It is trusted because only the operator
 * interface has a service token and sends it; a gateway of an older release sends none.
 */
export const OperatorName = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const name = headers[OPERATOR_HEADER];
  return (Array.isArray(name) ? name[0] : name) || FIRST_OPERATOR;
});

/** Metadata of the method, else of its controller. */
export function metadata<T>(context: ExecutionContext, name: string): T | undefined {
  return (Reflect.getMetadata(name, context.getHandler()) ??
    Reflect.getMetadata(name, context.getClass())) as T | undefined;
}
