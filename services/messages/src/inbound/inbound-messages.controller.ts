import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@postmesh/contracts';
import { InboundEnvelope, SMTP_ENVELOPE_HEADER, type SubmissionResult } from '@postmesh/messages-contract';
import { Internal } from '@postmesh/service-host';
import { ReceiveInbound } from './receive-inbound.js';

/** Messages that the gateways received at the MX port. */
@Internal()
@Controller('internal/inbound-messages')
export class InboundMessagesController {
  constructor(private readonly inbound: ReceiveInbound) {}

  @Post()
  @HttpCode(200)
  receive(
    @Headers(SMTP_ENVELOPE_HEADER) header: string | undefined,
    @Req() { body }: FastifyRequest,
  ): Promise<SubmissionResult> {
    if (!Buffer.isBuffer(body)) throw new ApiError(400, 'a raw message is required');
    return this.inbound.execute({ envelope: readEnvelope(header), raw: body });
  }
}

function readEnvelope(header = ''): InboundEnvelope {
  try {
    return InboundEnvelope.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch {
    throw new ApiError(400, `${SMTP_ENVELOPE_HEADER} is not a valid envelope`);
  }
}
