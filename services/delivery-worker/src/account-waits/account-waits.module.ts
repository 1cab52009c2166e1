import { Module } from '@nestjs/common';
import { ShapingModule } from '../shaping/shaping.module.js';
import { AccountWaitsController } from './account-waits.controller.js';

/** Obstacles of the mail of an account. */
@Module({ imports: [ShapingModule], controllers: [AccountWaitsController] })
export class AccountWaitsModule {}
