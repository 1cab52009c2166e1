import { Controller, HttpCode, Post } from '@nestjs/common';
import { InboundEnvelope, type SubmissionResult } from '@postmesh/messages-contract';
import { Internal } from '@postmesh/service-host';
import { Envelope, RawMessage } from '../submissions/smtp-message.decorators.js';
import { ReceiveInbound } from './receive-inbound.js';

/** Messages that the gateways received at the MX port. */
@Internal()
@Controller('internal/inbound-messages')
export class InboundMessagesController {
  constructor(private readonly inbound: ReceiveInbound) {}

  @Post()
  @HttpCode(200)
  receive(
    @Envelope(InboundEnvelope) envelope: InboundEnvelope,
    @RawMessage() raw: Buffer,
  ): Promise<SubmissionResult> {
    return this.inbound.execute({ envelope, raw });
  }
}
