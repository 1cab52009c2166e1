import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';

@Module({ providers: [OnAccountChanged] })
export class MarketingModule {}
