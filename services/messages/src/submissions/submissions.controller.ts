import { Body, Controller, Headers, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@postmesh/contracts';
import {
  SMTP_ENVELOPE_HEADER,
  SubmissionEnvelope,
  SubmissionSenderRequest,
  type SmtpVerdict,
  type SubmissionResult,
} from '@postmesh/messages-contract';
import { traced, type Tracer } from '@postmesh/observability';
import { body, Internal, TRACER } from '@postmesh/service-host';
import { AcceptSubmission } from './accept-submission.js';
import { JudgeSender } from './judge-sender.js';

/** Mail that clients of customers submit to the gateways by SMTP. */
@Internal()
@Controller('internal/submissions')
export class SubmissionsController {
  constructor(
    private readonly senders: JudgeSender,
    private readonly submissions: AcceptSubmission,
    @Inject(TRACER) private readonly tracer: Tracer,
  ) {}

  /** At MAIL FROM. */
  @Post('senders')
  @HttpCode(200)
  judge(@Body(body(SubmissionSenderRequest)) input: SubmissionSenderRequest): Promise<SmtpVerdict> {
    return this.senders.execute(input);
  }

  /** At the end of DATA. */
  @Post()
  @HttpCode(200)
  accept(
    @Headers(SMTP_ENVELOPE_HEADER) header: string | undefined,
    @Headers('traceparent') traceparent: string | undefined,
    @Req() { body: raw }: FastifyRequest,
  ): Promise<SubmissionResult> {
    if (!Buffer.isBuffer(raw)) throw new ApiError(400, 'a raw message is required');
    const span = this.tracer.follow(traceparent, 'submissions.accept', 'server');
    const command = { envelope: readEnvelope(header), raw, trace: span?.traceparent };
    return traced(
      span,
      () => this.submissions.execute(command),
      ({ ok }) => ({ 'postmesh.accepted': ok }),
    );
  }
}

function readEnvelope(header = ''): SubmissionEnvelope {
  try {
    return SubmissionEnvelope.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch {
    throw new ApiError(400, `${SMTP_ENVELOPE_HEADER} is not a valid envelope`);
  }
}
