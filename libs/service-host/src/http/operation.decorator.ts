import { applyDecorators, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import { operationSpec, type OperationId } from '@postmesh/contracts';

export const OPERATION = 'postmesh:operation';
export const INTERNAL = 'postmesh:internal';

/** Makes a controller method serve an operation: route, scope rule and idempotency come from the table. */
export function Operation(id: OperationId): MethodDecorator {
  const spec = operationSpec(id);
  return applyDecorators(
    RequestMapping({ method: RequestMethod[spec.method], path: spec.path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    SetMetadata(OPERATION, id),
  );
}

/** Marks a controller or method that only services of this installation (and the operator) may call. */
export const Internal = (): ClassDecorator & MethodDecorator => SetMetadata(INTERNAL, true);
