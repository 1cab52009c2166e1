import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Internal, optionalBody, uuidParam } from '@postmesh/service-host';
import { WEBHOOK_EVENTS } from '../webhook-events/webhook-events.table.js';
import { TriggerWebhook } from './trigger-webhook.js';
import { parseEventTypes, TriggerBody } from './webhook.schema.js';

const TestBody = TriggerBody.partial();

/** An operator tests an account's webhook. */
@Internal()
@Controller('operator/webhooks')
export class TestWebhookController {
  constructor(private readonly sample: TriggerWebhook) {}

  /** One call per given type, by default of `message.delivered`. */
  @Post(':webhook_id/test')
  @HttpCode(202)
  async test(
    @uuidParam('webhook_id') id: string,
    @Body(optionalBody(TestBody)) { events = [WEBHOOK_EVENTS.on_delivered.type] }: z.infer<typeof TestBody>,
  ): Promise<object> {
    const flags = parseEventTypes(events);
    await this.sample.executeForOperator(id, flags);
    return { webhook_id: id, events: flags.map((flag) => WEBHOOK_EVENTS[flag].type) };
  }
}
