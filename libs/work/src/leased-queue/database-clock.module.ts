import { Module } from '@nestjs/common';
import { DatabaseClock } from '@postmesh/database';

/** The clock that the leased queue of a service keeps at its database's time: one for all modules of the service. */
@Module({ providers: [DatabaseClock], exports: [DatabaseClock] })
export class DatabaseClockModule {}
