import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-states/on-account-changed.consumer.js';

@Module({ controllers: [OnAccountChanged] })
export class MarketingModule {}
