import type { GroupLimits } from './group-limits.port.js';
import { endsConnection, stopsWalk } from './signal.rules.js';

/** The same limits for every group, without learning. */
export const constantLimits = ({
  connections = 20,
  perConnection = 500,
}: {
  connections?: number | undefined;
  perConnection?: number | undefined;
} = {}): GroupLimits => ({
  connectionsOf: () => connections,
  perConnectionOf: () => perConnection,
  waitOf: () => undefined,
  takeTurn: () => 0,
  met: (result) => ({
    endsConnection: endsConnection(result, undefined),
    stopsWalk: stopsWalk(result.outcome, undefined),
  }),
  ended: () => undefined,
  using: () => undefined,
  watch: () => undefined,
});
