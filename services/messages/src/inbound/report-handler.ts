import { Injectable } from '@nestjs/common';
import { Transient, type InboundEnvelope, type InboundRecipient } from '@postmesh/contracts';

export type ReportRecipient = Extract<InboundRecipient, { report: unknown }>;

export interface ReportToHandle {
  recipients: readonly ReportRecipient[];
  envelope: InboundEnvelope;
  raw: Buffer;
}

/** What reads mail to bounce and feedback addresses. */
@Injectable()
export class ReportHandler {
  async execute(_report: ReportToHandle): Promise<void> {
    throw new Transient('reports are not read yet');
  }
}
