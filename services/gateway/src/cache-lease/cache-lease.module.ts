import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { SmtpModule } from '../smtp/smtp.module.js';
import { CacheLease } from './cache-lease.js';

@Module({ imports: [ApiKeysModule, SmtpModule], providers: [CacheLease] })
export class CacheLeaseModule {}
