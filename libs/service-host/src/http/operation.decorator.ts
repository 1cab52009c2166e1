import {
  applyDecorators,
  createParamDecorator,
  RequestMapping,
  RequestMethod,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import {
  CONSOLE_PREFIX,
  operationSpec,
  type ApiResponse,
  type OperationId,
  type OperationSpec,
  type Principal,
} from '@postmesh/contracts';
import { OPERATOR_HEADER } from '@postmesh/http';
import { FIRST_OPERATOR } from '@postmesh/settings';

export interface OperationOptions {
  /**
   * Where the scope depends on the body: throws the 403 that this key would get, before a
   * stored response is replayed to it (spec 1-platform §4.3 rule 10).
   * @param body as JSON; undefined when it is not JSON
   * @param replay the stored response
   */
  beforeReplay?: (principal: Principal, body: unknown, replay: ApiResponse) => void;
}

/** The operation of a method with `@Operation`. */
export interface DeclaredOperation extends OperationOptions {
  readonly id: OperationId;
  readonly spec: OperationSpec;
  /** of the console: its callers are members with a session, never keys (decision 116) */
  readonly forMembers: boolean;
}

const Declared = Reflector.createDecorator<DeclaredOperation>();
const ForServices = Reflector.createDecorator<boolean>();
const reflector = new Reflector();

/** Makes a controller method serve an operation: route, scope rule and idempotency come from the table. */
export function Operation(id: OperationId, { beforeReplay }: OperationOptions = {}): MethodDecorator {
  const spec = operationSpec(id);
  const { method, path } = spec;
  return applyDecorators(
    RequestMapping({ method: RequestMethod[method], path: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    Declared({
      id,
      spec,
      forMembers: path.startsWith(`${CONSOLE_PREFIX}/`),
      ...(beforeReplay && { beforeReplay }),
    }),
  );
}

/** Marks a controller or method that only services of this installation (and the operator) may call. */
export const Internal = (): ClassDecorator & MethodDecorator => ForServices(true);

/**
 * Parameter decorator for `@Internal()` methods: the name of the operator. It is trusted because only the operator
 * interface has a service token and sends it; a gateway of an older release sends none.
 */
export const OperatorName = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { headers } = context.getArgByIndex<FastifyRequest>(0);
  const name = headers[OPERATOR_HEADER];
  return (Array.isArray(name) ? name[0] : name) || FIRST_OPERATOR;
});

/** @returns undefined for a method without `@Operation` */
export const operationOf = (context: ExecutionContext): DeclaredOperation | undefined =>
  reflector.get(Declared, context.getHandler());

/** Whether the method or its controller has `@Internal`. */
export const isInternal = (context: ExecutionContext): boolean =>
  reflector.getAllAndOverride(ForServices, [context.getHandler(), context.getClass()]) ?? false;
