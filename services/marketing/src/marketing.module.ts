import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-states/on-account-changed.consumer.js';

@Module({ providers: [OnAccountChanged] })
export class MarketingModule {}
