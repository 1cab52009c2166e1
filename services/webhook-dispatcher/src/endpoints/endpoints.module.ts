import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { EndpointRooms } from './endpoint-rooms.js';
import { EndpointStates } from './endpoint-states.js';

/** Endpoints as the dispatcher knows them: failing or not, and the calls that they have room for. */
@Module({
  imports: [DatabaseClockModule],
  providers: [EndpointStates, EndpointRooms],
  exports: [EndpointStates, EndpointRooms],
})
export class EndpointsModule {}
