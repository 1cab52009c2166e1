import { Module } from '@nestjs/common';
import { KeyCache } from './key-cache.js';
import { KeyUses } from './key-uses.js';

@Module({ providers: [KeyCache, KeyUses], exports: [KeyCache, KeyUses] })
export class ApiKeysModule {}
