import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { OperatorController } from './operator.controller.js';
import { PublishedZone } from './published-zone.js';

@Module({ imports: [DomainStoreModule], controllers: [OperatorController], providers: [PublishedZone] })
export class OperatorModule {}
