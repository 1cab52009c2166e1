import { Module } from '@nestjs/common';
import { Designs } from './thread/designs.js';

/** One thread pool for the designs of a service, whichever of its modules import this. */
@Module({ providers: [Designs], exports: [Designs] })
export class DesignsModule {}
