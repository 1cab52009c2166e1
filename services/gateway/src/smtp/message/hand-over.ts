import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { withTimeout } from '@postmesh/concurrency';
import {
  RAW_MESSAGE_TYPE,
  SMTP_ENVELOPE_HEADER,
  SubmissionResult,
  type InboundEnvelope,
  type SmtpReply,
  type SubmissionEnvelope,
} from '@postmesh/messages-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger, Span, Tracer } from '@postmesh/observability';
import { LOGGER, TRACER } from '@postmesh/service-host';
import { RareWarning } from '../../rare-warning.js';
import { REPLIES } from '../replies.table.js';
import { SmtpMetrics } from '../smtp-metrics.js';
import type { DataResult, SmtpSession } from '../smtp-session.js';
import { MessageStream, type MessageProblem } from './message-stream.js';

export interface HandOver {
  readonly way: 'submission' | 'inbound';
  readonly envelope: SubmissionEnvelope | InboundEnvelope;
  /** the account whose share of the memory for large messages it uses */
  readonly account: string;
  readonly maxBytes: number;
  /** the client declared with SIZE that it is not larger */
  readonly declared: boolean;
}

const PATHS = { submission: '/internal/submissions', inbound: '/internal/inbound-messages' } as const;
// RFC 5321 §4.5.3.2.6 gives a client ten minutes for the reply; a transaction may not take longer in all.
const MAX_MS = 600_000;

/**
 * Streams a message to the messages service and returns the result: `ok` is the 250, after the commit of the service; any
 * other is a 4xx or 5xx.
 */
@Injectable()
export class MessageHandOver {
  private readonly notStored: RareWarning;

  constructor(
    private readonly client: InternalClient,
    private readonly metrics: SmtpMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACER) private readonly tracer: Tracer,
  ) {
    this.notStored = new RareWarning(
      logger,
      'smtp_message.not_stored',
      'messages of SMTP clients not stored',
    );
  }

  /** @param source the content of DATA @returns undefined when the client has disconnected */
  async take(source: Readable, session: SmtpSession, to: HandOver): Promise<DataResult | undefined> {
    const began = performance.now();
    const message = new MessageStream(source, to.maxBytes);
    const span = to.way === 'submission' ? this.tracer.begin('smtp.submission', 'server') : undefined;
    const result = await this.result(message, to, span);
    const said = result.ok ? 250 : result.reply.code;
    session.bytes += message.bytes;
    if (result.ok) session.messages += 1;
    else session.rejected += 1;
    span?.end({ 'postmesh.smtp_code': said });
    this.metrics.messages.inc({ way: to.way, result: result.ok ? 'stored' : String(said) });
    this.metrics.bytes.inc({ way: to.way }, message.bytes);
    this.log(session, to, { message, result, ms: Math.round(performance.now() - began) });
    return message.problem === 'client gone' ? undefined : result;
  }

  private async result(message: MessageStream, to: HandOver, span: Span | undefined): Promise<DataResult> {
    try {
      const stored = await withTimeout(this.hand(message, to, span), MAX_MS, 'taking a message');
      const how = await withTimeout(message.sent, MAX_MS, 'the end of a message');
      if (how === 'endless') return { ok: false, reply: REPLIES.endless };
      if (message.problem) return { ok: false, reply: replyTo(message.problem, to.declared) };
      return stored ?? { ok: false, reply: REPLIES.notStored };
    } catch {
      message.stop();
      return { ok: false, reply: REPLIES.dataTooSlow };
    }
  }

  /** @returns undefined when it was not stored and the service gave no reason */
  private async hand(
    message: MessageStream,
    to: HandOver,
    span: Span | undefined,
  ): Promise<DataResult | undefined> {
    const { way, envelope, account, maxBytes } = to;
    try {
      const result = await this.client.request(
        'messages',
        {
          method: 'POST',
          path: PATHS[way],
          raw: { bytes: message, contentType: RAW_MESSAGE_TYPE, maxBytes, account },
          headers: {
            [SMTP_ENVELOPE_HEADER]: Buffer.from(JSON.stringify(envelope)).toString('base64url'),
            ...(span ? { traceparent: span.traceparent } : {}),
          },
        },
        SubmissionResult,
      );
      // a service that responds early does not read the rest
      if (!message.readableEnded) message.stop();
      if (!result) return undefined;
      return result.ok
        ? message.readableEnded
          ? { ok: true, text: `OK ${result.id}` }
          : undefined
        : { ok: false, reply: result.reply };
    } catch (error) {
      message.stop();
      if (!message.problem) this.notStored.log(error);
      return undefined;
    }
  }

  private log(
    session: SmtpSession,
    { way, envelope }: HandOver,
    { message, result, ms }: { message: MessageStream; result: DataResult; ms: number },
  ): void {
    this.logger.info(
      {
        event: 'smtp_transaction.ended',
        session: session.id,
        way,
        client_ip: session.clientIp,
        account: session.credential?.account_id,
        credential: session.credential?.credential_id,
        sender_domain: envelope.sender.slice(envelope.sender.lastIndexOf('@') + 1),
        recipients: envelope.recipients.length,
        bytes: message.bytes,
        ms,
        ...(result.ok
          ? { said: 250, message_id: result.text.slice(3) }
          : { said: result.reply.code, problem: message.problem, reason: result.reply.text }),
      },
      'SMTP transaction ended',
    );
  }
}

function replyTo(problem: MessageProblem, declared: boolean): SmtpReply {
  if (problem === 'malformed') return REPLIES.malformed;
  return declared ? REPLIES.largerThanSaid : REPLIES.tooLarge;
}
