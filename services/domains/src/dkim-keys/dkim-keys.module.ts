import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DkimKey } from '../database/entities.js';
import { DkimKeys } from './dkim-keys.repository.js';
import { KeyGeneration } from './key-pairs.js';

@Module({
  imports: [TypeOrmModule.forFeature([DkimKey])],
  providers: [DkimKeys, KeyGeneration],
  exports: [DkimKeys, KeyGeneration],
})
export class DkimKeysModule {}
