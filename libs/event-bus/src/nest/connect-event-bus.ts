import type { INestApplication, INestMicroservice } from '@nestjs/common';
import { NestMicroservice } from '@nestjs/microservices';
import type { BusTransportStrategy } from './bus-transport.strategy.js';
import { OriginalErrorsFilter } from './original-errors.filter.js';

/**
 * Makes an application's `@EventPattern` handlers hear the bus. Call it after `app.init()` and before
 * `startAllMicroservices()`, which joins the group.
 */
export function connectEventBus(app: INestApplication, strategy: BusTransportStrategy): INestMicroservice {
  // Handlers take up the filters that exist when they are bound: binding waits until the filter is there.
  const microservice = app.connectMicroservice({ strategy }, { deferInitialization: true });
  microservice.useGlobalFilters(new OriginalErrorsFilter());
  // Deferred binding would call onModuleInit of every provider again; the application has done it.
  if (microservice instanceof NestMicroservice) microservice.setIsInitHookCalled(true);
  return microservice;
}
