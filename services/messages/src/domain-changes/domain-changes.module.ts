import { Module } from '@nestjs/common';
import { DomainDirectory } from '@postmesh/domains-contract';
import { OnDomainChanged } from './on-domain-changed.consumer.js';

/** The domains that may send, by the latest events of their owner. */
@Module({
  controllers: [OnDomainChanged],
  providers: [DomainDirectory],
  exports: [DomainDirectory],
})
export class DomainChangesModule {}
