import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RouteEntity } from '../database/route.entity.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { RequestCallsModule } from '../request-calls/request-calls.module.js';
import { CreateRoute } from './create-route.js';
import { RoutesController } from './routes.controller.js';
import { DisableRoutes, RoutesRepository } from './routes.repository.js';
import { TriggerRoute } from './trigger-route.js';
import { UpdateRoute } from './update-route.js';

@Module({
  imports: [TypeOrmModule.forFeature([RouteEntity]), EndpointsModule, RequestCallsModule],
  controllers: [RoutesController],
  providers: [RoutesRepository, CreateRoute, UpdateRoute, DisableRoutes, TriggerRoute],
  exports: [DisableRoutes, UpdateRoute],
})
export class ManageRoutesModule {}
