import { Module } from '@nestjs/common';
import { CacheLeasesController } from './cache-leases.controller.js';
import { CacheLeases } from './cache-leases.js';
import { KeyChangeFeed, KeyChanges } from './key-changes.js';

/** How every gateway follows a change of keys before it is answered. */
@Module({
  controllers: [CacheLeasesController],
  providers: [KeyChanges, KeyChangeFeed, CacheLeases],
  exports: [KeyChanges, CacheLeases],
})
export class RevocationModule {}
