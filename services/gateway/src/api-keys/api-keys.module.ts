import { Module } from '@nestjs/common';
import { KeyCache, SessionCache } from './key-cache.js';
import { KeyUses } from './key-uses.js';

@Module({ providers: [KeyCache, SessionCache, KeyUses], exports: [KeyCache, SessionCache, KeyUses] })
export class ApiKeysModule {}
