import { Body, Controller, Headers, HttpCode, Inject, Post } from '@nestjs/common';
import {
  SubmissionEnvelope,
  SubmissionSenderRequest,
  type SmtpVerdict,
  type SubmissionResult,
} from '@postmesh/messages-contract';
import { traced, type Tracer } from '@postmesh/observability';
import { body, Internal, TRACER } from '@postmesh/service-host';
import { AcceptSubmission } from './accept-submission.js';
import { JudgeSender } from './judge-sender.js';
import { Envelope, RawMessage } from './smtp-message.decorators.js';

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
    @Envelope(SubmissionEnvelope) envelope: SubmissionEnvelope,
    @RawMessage() raw: Buffer,
    @Headers('traceparent') traceparent: string | undefined,
  ): Promise<SubmissionResult> {
    const span = this.tracer.follow(traceparent, 'submissions.accept', 'server');
    const command = { envelope, raw, trace: span?.traceparent };
    return traced(
      span,
      () => this.submissions.execute(command),
      ({ ok }) => ({ 'postmesh.accepted': ok }),
    );
  }
}
