import type { FactoryProvider } from '@nestjs/common';
import { ByteBudget } from '@postmesh/concurrency';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

// Two hundred messages below this size take 200 MiB at most and need no bound.
const FREE_BELOW_BYTES = 1024 * 1024;

/**
 * Bounds the memory of large messages in flight, accounts in turns. The wait has no end but the lease of the delivery,
 * which is renewed meanwhile; no more wait than the worker has claimed.
 */
export const LARGE_MESSAGES: FactoryProvider<ByteBudget> = {
  provide: ByteBudget,
  inject: [SETTINGS],
  useFactory: ({ largeBytes }: Settings) =>
    new ByteBudget({ maxBytes: largeBytes, freeBelow: FREE_BELOW_BYTES }),
};
