import { DebouncedTask } from '@postmesh/concurrency';

/** @deprecated `DebouncedTask` of @postmesh/concurrency: `ask` is `trigger` there, `end` is `stop`. */
export class RunOnWord extends DebouncedTask {
  ask(): void {
    this.trigger();
  }

  end(): Promise<void> {
    return this.stop();
  }
}
