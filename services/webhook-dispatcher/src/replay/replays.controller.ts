import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { body, Internal, query, uuidParam } from '@postmesh/service-host';
import { ReplayDeliveries } from './replay-deliveries.js';
import { ReplayWanted } from './replay.schema.js';
import { Replays } from './replays.js';

const Filter = z.object({ endpoint_id: z.uuid().optional() });

/** Makes ended deliveries again: one, or those of an endpoint since a time. */
@Internal()
@Controller('operator')
export class ReplaysController {
  constructor(
    private readonly deliveries: ReplayDeliveries,
    private readonly replays: Replays,
  ) {}

  @Post('deliveries/:delivery_id/replay')
  @HttpCode(200)
  async delivery(@uuidParam('delivery_id') id: string): Promise<object> {
    return { delivery_id: await this.deliveries.one(id), replay_of: id };
  }

  /** Starts a task; `GET replays/<id>` shows its progress. */
  @Post('replays')
  @HttpCode(202)
  async start(@Body(body(ReplayWanted)) wanted: ReplayWanted): Promise<object> {
    return this.replays.start(wanted);
  }

  /** The latest replays. */
  @Get('replays')
  async list(@Query(query(Filter)) { endpoint_id }: z.infer<typeof Filter>): Promise<object> {
    return { replays: await this.replays.list(endpoint_id) };
  }

  @Get('replays/:replay_id')
  async one(@uuidParam('replay_id') id: string): Promise<object> {
    return this.replays.one(id);
  }
}
