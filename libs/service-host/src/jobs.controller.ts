import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import type { Jobs } from '@postmesh/jobs';
import { Internal } from './http/operation.decorator.js';
import { JOBS } from './tokens.js';

const MAX_FAILED = 100;

/** The jobs of this process, for the operator interface: every service has this. */
@Internal()
@Controller('operator/jobs')
export class JobsController {
  constructor(@Inject(JOBS) private readonly jobs: Jobs) {}

  @Get()
  async counts(): Promise<object> {
    return { queues: await this.jobs.counts() };
  }

  @Get('failed')
  async failed(): Promise<object> {
    return { failed: await this.jobs.failed({ limit: MAX_FAILED }) };
  }

  @Post('retry')
  @HttpCode(200)
  async retry(): Promise<object> {
    return { retried: await this.jobs.retryFailed() };
  }
}
