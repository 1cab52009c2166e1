import { Module } from '@nestjs/common';
import { AccessKeyCache, KeyCache, SessionCache } from './key-cache.js';
import { KeyUses } from './key-uses.js';

@Module({
  providers: [AccessKeyCache, KeyCache, SessionCache, KeyUses],
  exports: [AccessKeyCache, KeyCache, SessionCache, KeyUses],
})
export class ApiKeysModule {}
