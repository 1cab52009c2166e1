import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { BounceJudgementsController } from './bounce-judgements.controller.js';
import { DomainPauses } from './domain-pauses.js';
import { JudgeBounces } from './judge-bounces.js';

@Module({
  imports: [DomainStoreModule],
  controllers: [BounceJudgementsController],
  providers: [DomainPauses, JudgeBounces],
  exports: [DomainPauses],
})
export class PausesModule {}
