import { SetMetadata } from '@nestjs/common';
import type { Run } from './run-task.js';

/** Work of a service that repeats; what one run leaves undone, the next one does. */
export interface PeriodicTask {
  /** of one task in the service */
  readonly name: string;
  readonly everyMs: number;
  /** one run may take so long; then its signal is aborted and the run counts as failed */
  readonly timeoutMs: number;
}

export const PERIODIC_TASK = Symbol('PeriodicTask');

/** Runs the method of a provider now and then again and again, in one of the processes of its service. */
export function Periodic(task: PeriodicTask) {
  return <Method extends Run>(
    target: object,
    key: string | symbol,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(PERIODIC_TASK, task)(target, key, method);
  };
}
