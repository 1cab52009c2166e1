import { Module } from '@nestjs/common';
import { CacheLeases, CacheLeasesController } from './cache-leases.js';
import { KeyChangeFeed, KeyChanges } from './key-changes.js';

/** Revocation of keys: every gateway applies a change before the response to it. */
@Module({
  controllers: [CacheLeasesController],
  providers: [KeyChanges, KeyChangeFeed, CacheLeases],
  exports: [KeyChanges, CacheLeases],
})
export class RevocationModule {}
