import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { PeriodicTasks } from '@postmesh/work';
import { Internal } from './http/operation.decorator.js';

const MAX_FAILED = 100;

/** The jobs of this service, for the operator interface: every service has this controller. */
@Internal()
@Controller('operator/jobs')
export class JobsController {
  constructor(private readonly tasks: PeriodicTasks) {}

  @Get()
  async counts(): Promise<object> {
    return { queues: await this.tasks.counts() };
  }

  @Get('failed')
  async failed(): Promise<object> {
    return { failed: await this.tasks.failed({ limit: MAX_FAILED }) };
  }

  @Post('retry')
  @HttpCode(200)
  async retry(): Promise<object> {
    return { retried: await this.tasks.retryFailed() };
  }
}
