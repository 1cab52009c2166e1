import { Module } from '@nestjs/common';
import { Designs } from './thread/designs.js';

/** One thread for the designs of a service, however many of its parts import this. */
@Module({ providers: [Designs], exports: [Designs] })
export class DesignsModule {}
