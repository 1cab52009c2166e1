import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RouteBodyRequest } from '@postmesh/messages-contract';
import { body, Internal } from '@postmesh/service-host';
import { ReadRouteBody } from './read-route-body.js';

/** Bodies of route calls, made from stored messages each time that they are needed. */
@Internal()
@Controller('internal/route-bodies')
export class RouteBodiesController {
  constructor(private readonly bodies: ReadRouteBody) {}

  @Post()
  @HttpCode(200)
  async read(
    @Body(body(RouteBodyRequest)) request: RouteBodyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const text = await this.bodies.execute(request);
    await reply.type('application/json').send(text);
  }
}
