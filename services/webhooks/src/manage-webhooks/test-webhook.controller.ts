import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Internal, optionalBody, uuidParam } from '@postmesh/service-host';
import { EVENT_TYPES } from '../webhook-events/webhook-events.table.js';
import { TriggerWebhook } from './trigger-webhook.js';
import { parseEventTypes, TriggerBody } from './webhook.schema.js';

const TestBody = TriggerBody.partial();

/** An operator tries somebody's webhook. */
@Internal()
@Controller('operator/webhooks')
export class TestWebhookController {
  constructor(private readonly sample: TriggerWebhook) {}

  /** Of each type that is named, else of `message.delivered`, one call. */
  @Post(':webhook_id/test')
  @HttpCode(202)
  async test(
    @uuidParam('webhook_id') id: string,
    @Body(optionalBody(TestBody)) { events = [EVENT_TYPES.on_delivered] }: z.infer<typeof TestBody>,
  ): Promise<object> {
    const flags = parseEventTypes(events);
    await this.sample.executeForOperator(id, flags);
    return { webhook_id: id, events: flags.map((flag) => EVENT_TYPES[flag]) };
  }
}
