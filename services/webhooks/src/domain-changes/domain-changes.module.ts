import { Module } from '@nestjs/common';
import { ManageRoutesModule } from '../manage-routes/manage-routes.module.js';
import { MatchRoutesModule } from '../match-routes/match-routes.module.js';
import { OnDomainChanged } from './on-domain-changed.consumer.js';

@Module({
  imports: [ManageRoutesModule, MatchRoutesModule],
  controllers: [OnDomainChanged],
})
export class DomainChangesModule {}
