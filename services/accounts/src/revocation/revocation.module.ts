import { Module } from '@nestjs/common';
import { CacheLeases, CacheLeasesController } from './cache-leases.js';
import { KeyChangeFeed, KeyChanges } from './key-changes.js';

/** How every gateway follows a change of keys before it is answered. */
@Module({
  controllers: [CacheLeasesController],
  providers: [KeyChanges, KeyChangeFeed, CacheLeases],
  exports: [KeyChanges, CacheLeases],
})
export class RevocationModule {}
