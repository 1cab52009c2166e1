import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { TrackedFetches } from '@postmesh/messages-contract';
import { body, Internal } from '@postmesh/service-host';
import { RecordFetches } from './record-fetches.js';

/** Fetches of pixels and links, which the gateways answer and report here. */
@Internal()
@Controller('internal/tracked-fetches')
export class TrackedFetchesController {
  constructor(private readonly record: RecordFetches) {}

  @Post()
  @HttpCode(200)
  async report(@Body(body(TrackedFetches)) { fetches }: TrackedFetches): Promise<object> {
    await this.record.execute(fetches);
    return {};
  }
}
