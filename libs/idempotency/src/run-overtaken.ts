import { Transient } from '@postmesh/contracts';

/**
 * A run outlived its lease and another run took its key over (spec 1-platform §4.3.6). Thrown inside the
 * transaction of the effect, so that the effect of the late run is rolled back.
 */
export class RunOvertaken extends Transient {
  constructor(readonly overtaken: number) {
    super(`${overtaken} idempotent run(s) outlived the lease and another run took the key over`);
  }
}
