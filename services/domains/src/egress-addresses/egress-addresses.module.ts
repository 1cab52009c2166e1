import { Module } from '@nestjs/common';
import { EgressAddresses } from './egress-addresses.js';
import { OnEgressAddressesChanged } from './on-egress-addresses-changed.consumer.js';

/** A copy of the addresses of operators' sources, for the records of the zone. */
@Module({
  controllers: [OnEgressAddressesChanged],
  providers: [EgressAddresses],
  exports: [EgressAddresses],
})
export class EgressAddressesModule {}
