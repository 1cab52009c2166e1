import { applyDecorators, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { operationSpec, type OperationId, type Principal } from '@postmesh/contracts';

export const OPERATION = 'postmesh:operation';
export const BEFORE_REPLAY = 'postmesh:before-replay';
export const INTERNAL = 'postmesh:internal';

export interface OperationOptions {
  /**
   * Where the scope depends on the body: throws the 403 that the operation would answer this key, before a
   * stored answer is replayed to it (spec 1-platform §4.3 rule 10).
   * @param body as JSON; undefined when it is none
   */
  beforeReplay?: (principal: Principal, body: unknown) => void;
}

/** Makes a controller method serve an operation: route, scope rule and idempotency come from the table. */
export function Operation(id: OperationId, { beforeReplay }: OperationOptions = {}): MethodDecorator {
  const spec = operationSpec(id);
  return applyDecorators(
    RequestMapping({ method: RequestMethod[spec.method], path: spec.path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    SetMetadata(OPERATION, id),
    SetMetadata(BEFORE_REPLAY, beforeReplay),
  );
}

/** Marks a controller or method that only services of this installation (and the operator) may call. */
export const Internal = (): ClassDecorator & MethodDecorator => SetMetadata(INTERNAL, true);
