import { Module } from '@nestjs/common';
import { AccountStates } from './account-states.js';
import { StatesAtStart } from './states-at-start.js';

/** States of accounts as the queue reads them; `AccountChangesModule` then lets the queue follow. */
@Module({
  providers: [AccountStates, StatesAtStart],
  exports: [AccountStates, StatesAtStart],
})
export class AccountStatesModule {}
