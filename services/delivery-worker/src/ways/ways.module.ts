import { Module } from '@nestjs/common';
import { WAYS, Ways } from './ways.js';
import { WaysRows } from './ways-rows.js';

/** Source addresses and relays in pools, and the rules that give mail to a pool. */
@Module({ providers: [WaysRows, WAYS], exports: [Ways, WaysRows] })
export class WaysModule {}
