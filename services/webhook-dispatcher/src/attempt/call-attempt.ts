import { Inject, Injectable } from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { SecretBox } from '@postmesh/secrets';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ClaimedCall } from '../dispatch/owed-calls.port.js';
import { AttemptRecorder, type MadeAttempt } from '../record/attempt-recorder.js';
import { decideAttempt } from './attempt-decision.rules.js';
import { signedHeaders } from './signature.rules.js';
import { WEBHOOK_CALLER, type WebhookCaller } from './webhook-caller.port.js';

// A secret that cannot be read is ours to mend (POSTMESH_SECRET_KEYS); until then nothing is lost.
const UNREADABLE_WAIT_MS = 60_000;

/** One attempt of one call: sign, post, decide, write down. */
@Injectable()
export class CallAttempt {
  private readonly calls;
  private readonly seconds;
  private abandoned = false;

  constructor(
    @Inject(WEBHOOK_CALLER) private readonly caller: WebhookCaller,
    private readonly secrets: SecretBox,
    private readonly recorder: AttemptRecorder,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.calls = metrics.counter(
      'postmesh_webhook_attempts_total',
      'Webhook calls made, by what came of them',
      ['outcome'],
    );
    this.seconds = metrics.histogram(
      'postmesh_webhook_attempt_seconds',
      'Time until a webhook call was answered',
    );
  }

  /** @throws when what came of it could not be written down: its lease ends, and the call is made again */
  async make(call: ClaimedCall): Promise<void> {
    const secret = this.openSecret(call);
    if (secret === undefined) {
      await this.recorder.putOff(call, 'its signing secret cannot be read', UNREADABLE_WAIT_MS);
      return;
    }
    const attempt = await this.post(call, secret);
    if (this.abandoned) return;
    const own = await this.recorder.record(attempt);
    this.tell(attempt, own);
  }

  /** Cuts off what is under way. Nothing is written down: the leases end, and the calls are made again. */
  async abandon(): Promise<void> {
    this.abandoned = true;
    await this.caller.close();
  }

  private openSecret(call: ClaimedCall): string | undefined {
    try {
      return this.secrets.open(call.sealedSecret, `webhook/${call.webhookId}`);
    } catch (error) {
      this.logger.error(
        { err: error, call_id: call.id, webhook_id: call.webhookId },
        'webhook secret cannot be read',
      );
      return undefined;
    }
  }

  private async post(call: ClaimedCall, secret: string): Promise<MadeAttempt> {
    const startedAt = new Date();
    const body = Buffer.from(call.body);
    const headers = signedHeaders({ messageId: call.webhookMessageId, at: startedAt, body, secret });
    const response = await this.caller.call(call.url, headers, body);
    const timing = { now: new Date(), scale: this.settings.webhookRetryScale, random: Math.random() };
    const decision = decideAttempt(call.attempt, response, timing);
    return { call, startedAt, durationMs: response.durationMs, decision };
  }

  private tell({ call, durationMs, decision }: MadeAttempt, own: boolean): void {
    this.calls.inc({ outcome: decision.outcome });
    this.seconds.observe(durationMs / 1_000);
    this.logger.info(
      {
        call_id: call.id,
        webhook_id: call.webhookId,
        account_id: call.accountId,
        trace: call.trace,
        webhook_message_id: call.webhookMessageId,
        event_type: call.eventType,
        host: call.host,
        attempt: call.attempt,
        outcome: decision.outcome,
        status: decision.status,
        reason: decision.reason,
        duration_ms: durationMs,
        next_attempt_at: decision.nextAttemptAt,
        // false: stopped or taken over meanwhile, so nothing was written down
        recorded: own,
      },
      'webhook call',
    );
  }
}
