import { Module } from '@nestjs/common';
import { ForwardModule } from '../forward/forward.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { Console } from './console.js';

@Module({ imports: [ForwardModule, RateLimitsModule], providers: [Console], exports: [Console] })
export class ConsoleModule {}
