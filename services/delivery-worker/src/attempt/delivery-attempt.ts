import { Inject, Injectable } from '@nestjs/common';
import { failureKind, Transient } from '@postmesh/contracts';
import { DatabaseClock } from '@postmesh/database';
import { needsSmtpUtf8, verpAddress } from '@postmesh/mail-format';
import { RenderFailed } from '@postmesh/message-content';
import { BULK } from '@postmesh/work';
import { reportAddressKeys } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { suspensionReason } from '../account-states/account-states.rules.js';
import { decideAttempt } from '../classify/attempt-outcome.rules.js';
import { providerOfGroup, RELAY_GROUP } from '../mx/group-key.rules.js';
import { retryPlan, windowEnd, type RetryPlan } from '../classify/retry-schedule.rules.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import {
  attempted,
  released,
  removed,
  suspended,
  unsent,
  type AttemptRecord,
} from '../record/attempt-record.rules.js';
import { LargeMessages, type LargeSource } from '../signing/large-messages.js';
import { PreparedMessages, type PreparedMessage } from '../signing/prepared-messages.js';
import { SigningDirectory } from '../signing/signing-directory.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { AttemptLog } from './attempt-log.js';
import { MESSAGE_TRANSPORT, type MessageTransport } from './message-transport.port.js';
import { waitOutTroubleMs } from './our-trouble.rules.js';
import { domainObstacle } from './domain-standing.rules.js';
import { sandboxOutcome } from './sandbox.rules.js';

/** An attempt that has ended. */
export interface MadeAttempt {
  readonly record: AttemptRecord;
  readonly begunAt: Date;
}

// A worker without a reply from any server for this long cannot distinguish their silence from trouble of its own, such
// as a closed port 25: so it is not counted as a recipient failure.
const OFFLINE_AFTER_MS = 3_600_000;

/** One attempt, as a list of steps: window, suppression, domain, message, sandbox or network, decision, record. */
@Injectable()
export class DeliveryAttempt {
  private readonly plan: RetryPlan;
  private readonly verpKey: string | Buffer;
  /** ids of deliveries for which no server was asked yet */
  private readonly unasked = new Set<string>();
  private troubleSince: number | undefined;
  /** time of the last reply from any server */
  private repliedAt = 0;
  private stopping = false;

  constructor(
    private readonly messages: PreparedMessages,
    private readonly large: LargeMessages,
    private readonly attempts: AttemptLog,
    private readonly domains: SigningDirectory,
    /** of the queue that runs the attempts */
    readonly clock: DatabaseClock,
    @Inject(MESSAGE_TRANSPORT) private readonly transport: MessageTransport,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.plan = retryPlan(settings);
    [this.verpKey = ''] = reportAddressKeys(settings.secretKeys);
  }

  /** Returns the result, not recorded yet. */
  async make(delivery: ClaimedDelivery): Promise<MadeAttempt> {
    const begunAt = this.clock.date();
    this.unasked.add(delivery.id);
    const span = this.attempts.begun(delivery);
    try {
      const record = await this.attempt(delivery, begunAt);
      return { record: this.attempts.ended(record, span), begunAt };
    } finally {
      this.unasked.delete(delivery.id);
    }
  }

  /** The result was recorded, or the lease was lost. @returns when the delivery is due again, or null */
  log({ record, begunAt }: MadeAttempt, own: boolean): Date | null {
    this.attempts.attempted(record, { begunAt, own });
    return record.nextAttemptAt;
  }

  /** Begins no new attempt; those that are with a server may end within the grace. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    await this.transport.stop(graceMs);
  }

  /** Whether the attempt may have reached a server. */
  hasBegun(id: string): boolean {
    return !this.unasked.has(id);
  }

  private async attempt(delivery: ClaimedDelivery, startedAt: Date): Promise<AttemptRecord> {
    if (this.stopping) return this.stopped(delivery);
    if (delivery.accountState === 'deleted') return removed(delivery);
    const end = this.endOf(delivery);
    if (end.at <= startedAt) {
      return unsent(delivery, { outcome: 'failed', classification: 'MessageExpired', giveUp: end.by });
    }
    const reason = suspensionReason(delivery.accountState);
    if (reason !== undefined) return suspended(delivery, { until: end.at, reason });
    if (delivery.suppressed) return unsent(delivery, { outcome: 'suppressed', classification: null });
    const message = await this.prepare(delivery);
    if (this.stopping) return this.stopped(delivery);
    if ('failure' in message) return this.unprepared(delivery, message.failure);
    if ('obstacle' in message) return this.decided(delivery, waits(message.obstacle), startedAt);
    if (delivery.sandbox !== null) return simulated(delivery, delivery.sandbox);
    this.unasked.delete(delivery.id);
    const { ready } = message;
    const met = await this.sendCopy(delivery, ready);
    if ('load' in ready && ready.failure !== undefined && met.kind === 'postponed') {
      return this.unprepared(delivery, ready.failure);
    }
    return this.decided(delivery, met, startedAt);
  }

  private stopped(delivery: ClaimedDelivery): AttemptRecord {
    const reason = 'its worker stopped before the message was sent';
    return released(delivery, { until: this.clock.date(), reason, windowRuns: false });
  }

  private endOf(delivery: ClaimedDelivery) {
    return windowEnd(delivery, this.plan);
  }

  private async prepare(
    delivery: ClaimedDelivery & { asciiHeader?: boolean },
  ): Promise<{ ready: PreparedMessage | LargeSource } | { obstacle: string } | { failure: unknown }> {
    try {
      const domain = await this.domains.find(delivery.domainId);
      const obstacle = domain && domainObstacle(delivery, domain);
      if (obstacle !== undefined) return { obstacle };
      // without its domain it fails at once, whatever its size
      if (domain && this.large.isLarge(delivery)) return await this.prepareLarge(delivery);
      const ready = await this.messages.prepare(delivery);
      this.troubleSince = undefined;
      return { ready };
    } catch (failure) {
      return { failure };
    }
  }

  /** A large message is composed when a connection is ready for it; a simulated one now, since it gets none. */
  private async prepareLarge(
    delivery: ClaimedDelivery,
  ): Promise<{ ready: LargeSource } | { failure: unknown }> {
    const ready = this.large.of(delivery);
    if (delivery.sandbox === null) return { ready };
    const loaded = await ready.load();
    loaded?.release();
    return loaded ? { ready } : { failure: ready.failure ?? new Transient(NO_ROOM) };
  }

  /** UTF-8 in the header keeps no message from a recipient in ASCII: a server without SMTPUTF8 gets a copy in ASCII. */
  private async sendCopy(
    delivery: ClaimedDelivery,
    ready: PreparedMessage | LargeSource,
  ): Promise<SmtpOutcome> {
    const met = await this.send(delivery, ready);
    const wantsAscii = met.kind === 'rejected' && met.enhancedStatusCode === '5.6.7' && met.dataSent === 'no';
    if (!wantsAscii || needsSmtpUtf8(delivery.recipient)) return met;
    const copy = await this.prepare({ ...delivery, asciiHeader: true });
    return 'ready' in copy ? this.send(delivery, copy.ready) : met;
  }

  private send(delivery: ClaimedDelivery, ready: PreparedMessage | LargeSource): Promise<SmtpOutcome> {
    const host = delivery.returnPathHost || `rp.${this.settings.serviceZone}`;
    const { recipient } = delivery;
    const envelopeFrom = delivery.nullSender ? '' : verpAddress(delivery.id, host, this.verpKey);
    const isBulk = delivery.lane === BULK;
    return this.transport.send({
      destination: delivery.destination,
      message:
        'load' in ready
          ? { envelopeFrom, recipient, isBulk, load: () => ready.load() }
          : {
              envelopeFrom,
              recipient,
              isBulk,
              chunks: ready.chunks,
              size: ready.size,
              eightBit: ready.eightBit,
              smtpUtf8: ready.smtpUtf8,
            },
      source: delivery.source,
      pinned: delivery.pinned,
      tags: delivery.tags,
      lease: delivery,
      sender: { senderDomain: delivery.domain, accountId: delivery.accountId },
    });
  }

  private decided(delivery: ClaimedDelivery, met: SmtpOutcome, startedAt: Date): AttemptRecord {
    const finishedAt = this.clock.date();
    if (met.smtpCode > 0 && met.remoteHost !== undefined) this.repliedAt = finishedAt.getTime();
    const decision = decideAttempt(met, {
      firstAttemptAt: delivery.firstAttemptAt,
      expires: delivery.expires,
      failuresBefore: delivery.attempt - 1,
      now: finishedAt,
      random: Math.random(),
      plan: this.plan,
      about: {
        provider: met.groupKey === undefined ? undefined : providerOfGroup(met.groupKey),
        relayed: met.groupKey === RELAY_GROUP,
        offline: finishedAt.getTime() - this.repliedAt > OFFLINE_AFTER_MS,
      },
    });
    if (met.kind === 'postponed' && decision.nextAttemptAt !== null) {
      const wait = { until: decision.nextAttemptAt, reason: met.response };
      return released(delivery, { ...wait, windowRuns: !this.stopping });
    }
    return attempted(delivery, decision, { startedAt, finishedAt });
  }

  /**
   * The trouble is ours: no server was asked and no attempt counts. Only a permanent failure ends the message at once.
   */
  private unprepared(delivery: ClaimedDelivery, failure: unknown): AttemptRecord {
    const reason = failure instanceof Error ? failure.message : String(failure);
    const kind = failureKind(failure);
    this.attempts.unprepared(delivery, failure, kind);
    if (kind === 'permanent' || kind === 'poison') {
      const classification = 'Uncategorized';
      const reply = { smtp_code: 0, response: reason, classification };
      return unsent(delivery, { outcome: 'failed', reply, classification });
    }
    const now = this.clock.now();
    // Outages of other services do not count against the delivery window; other failures do, such as a message that is
    // never rendered in time.
    const windowRuns = kind === 'bug' || failure instanceof RenderFailed;
    if (!windowRuns) this.troubleSince ??= now;
    const since = windowRuns ? delivery.firstAttemptAt.getTime() : (this.troubleSince ?? now);
    const end = this.endOf(delivery).at.getTime();
    const until = new Date(Math.min(now + waitOutTroubleMs(now - since, Math.random()), end));
    return released(delivery, { until, reason, windowRuns });
  }
}

const NO_ROOM = 'other large messages are being sent';

/** As if a server had replied so: it counts, and is retried on the same schedule. */
const waits = (response: string): SmtpOutcome => ({ kind: 'deferred', smtpCode: 0, response });

function simulated(delivery: ClaimedDelivery, result: string): AttemptRecord {
  return unsent(delivery, sandboxOutcome(result));
}
