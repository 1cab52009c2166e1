import { Module } from '@nestjs/common';
import { SealUrls } from '../database/seal-urls.js';
import { CreateEndpoint } from './create-endpoint.js';
import { DeleteEndpoint } from './delete-endpoint.js';
import { OwnedDomains, PublicTarget } from './endpoint-checks.js';
import { EndpointTargetsController } from './endpoint-targets.controller.js';
import { Endpoints } from './endpoints.js';
import { UpdateEndpoint } from './update-endpoint.js';

/** Webhooks and routes as endpoints of the dispatcher. */
@Module({
  controllers: [EndpointTargetsController],
  providers: [
    Endpoints,
    CreateEndpoint,
    UpdateEndpoint,
    DeleteEndpoint,
    OwnedDomains,
    PublicTarget,
    SealUrls,
  ],
  exports: [Endpoints, CreateEndpoint, UpdateEndpoint, DeleteEndpoint, OwnedDomains, PublicTarget],
})
export class EndpointsModule {}
