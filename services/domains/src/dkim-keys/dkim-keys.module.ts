import { Module } from '@nestjs/common';
import { DkimKeys } from './dkim-keys.repository.js';
import { KeyGeneration } from './key-pairs.js';

@Module({ providers: [DkimKeys, KeyGeneration], exports: [DkimKeys, KeyGeneration] })
export class DkimKeysModule {}
