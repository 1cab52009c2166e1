import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiError } from '@postmesh/contracts';
import { listDeadLetters } from '@postmesh/events';
import secureJson from 'secure-json-parse';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Internal } from '../http/operation.decorator.js';
import { EventTransport } from './event-transport.js';

const ListQuery = z.object({
  consumer: z.string().min(1).optional(),
  after: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
const ReplayBody = z.object({
  consumer: z.string().min(1).optional(),
  ids: z.array(z.string()).min(1).max(10_000).optional(),
});

/** Dead letters of this service, for the operator interface: every service with a database has this controller. */
@Internal()
@Controller('operator/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: EventTransport,
  ) {}

  @Get()
  async list(@Query() query: unknown): Promise<object> {
    const rows = await listDeadLetters(this.dataSource, parse(ListQuery, query));
    return {
      dead_letters: rows.map(({ eventId, diedAt, ...row }) => ({
        ...row,
        event_id: eventId,
        died_at: diedAt.toISOString(),
      })),
    };
  }

  @Post('replay')
  @HttpCode(200)
  replay(@Body() body: Buffer): Promise<{ replayed: number; failed: number }> {
    return this.events.replay(parse(ReplayBody, secureJson.safeParse(body) ?? {}));
  }
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
  return parsed.data;
}
