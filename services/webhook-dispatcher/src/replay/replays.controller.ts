import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { ReplayDeliveries } from './replay-deliveries.js';
import { ReplayRange } from './replay.schema.js';

/** Ended deliveries are made again: one, or all of an endpoint by type, time and outcome. */
@Internal()
@Controller('operator')
export class ReplaysController {
  constructor(private readonly replays: ReplayDeliveries) {}

  @Post('deliveries/:delivery_id/replay')
  @HttpCode(200)
  async one(@uuidParam('delivery_id') id: string): Promise<object> {
    return { delivery_id: await this.replays.one(id), replay_of: id };
  }

  /** At most 500 at once; `next` goes on behind them. */
  @Post('replays')
  @HttpCode(200)
  async range(@Body(body(ReplayRange)) range: ReplayRange): Promise<object> {
    return this.replays.range(range);
  }
}
