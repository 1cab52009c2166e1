import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { ManageRoutesModule } from '../manage-routes/manage-routes.module.js';
import { ManageWebhooksModule } from '../manage-webhooks/manage-webhooks.module.js';
import { FailingEndpointsController } from './failing-endpoints.controller.js';
import { FailingEndpoints } from './failing-endpoints.js';
import { RecoverEndpoint } from './recover-endpoint.js';
import { RecoverController } from './recover.controller.js';

/** Endpoints that fail: disabled after days, and recovered. */
@Module({
  imports: [EndpointsModule, ManageRoutesModule, ManageWebhooksModule],
  controllers: [FailingEndpointsController, RecoverController],
  providers: [FailingEndpoints, RecoverEndpoint],
})
export class FailingEndpointsModule {}
