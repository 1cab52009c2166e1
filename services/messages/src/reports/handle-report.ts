import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { InboundEnvelope, InboundRecipient } from '@postmesh/messages-contract';
import { Metrics, type Logger } from '@postmesh/observability';
import { reportAddressKeys } from '@postmesh/secrets';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { deletedAccounts } from '../account-changes/deleted-accounts.js';
import { countFeedback, keepFeedbackMail } from '../feedback-loops/feedback-mail.repository.js';
import { InboundStore } from '../inbound/inbound-store.js';
import { DsnMailer } from './dsn-mailer.js';
import { RecordReport, type ReportEffect } from './record-report.js';
import { recordIdOf, reportRecord, type RawReport } from './report-records.rules.js';
import {
  deliveryKnown,
  findComplained,
  findReported,
  lockReported,
  type ReportedMessage,
} from './reported-message.js';
import { COMPLAINT_FORMS } from './read/complaints/complaints.table.js';
import { judgeReport, type ReportVerdict } from './read/judge-report.rules.js';
import { readReport } from './read/read-report.js';
import type { Report } from './read/report.js';

/** A recipient that is an address of the service itself. */
export type ReportRecipient = Extract<InboundRecipient, { report: unknown }>;

/** The provider whose feedback loop has sent it. */
const providerOf = (report: Report): string | null =>
  (report.kind === 'complaint' && COMPLAINT_FORMS.find(({ id }) => id === report.form)?.provider) || null;

/** Mail to bounce and feedback addresses. */
export interface ArrivedReport {
  recipients: readonly ReportRecipient[];
  envelope: Pick<InboundEnvelope, 'sender'>;
  /** as received */
  raw: Buffer;
  receivedAt: Date;
}

/** The effect of a report, for metrics and the log. */
type Handled =
  | ReportEffect
  | 'unmatched'
  | 'again'
  | 'wrong-address'
  | 'complaint-stored'
  /** shown to operators: mail to the address of feedback loops that is no complaint */
  | 'kept'
  | `dropped: ${string}`;

/**
 * A report about a sent message: a late bounce, or a complaint of its recipient (spec 2-messages §15.4, §15.5). It gets
 * no reply, and mail that is no report has no effect.
 */
@Injectable()
export class HandleReport {
  private readonly handled;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: InboundStore,
    private readonly effects: RecordReport,
    private readonly mailer: DsnMailer,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.handled = metrics.counter(
      'postmesh_reports_total',
      'Reports that came to bounce and feedback addresses, by what they are and what they did',
      ['kind', 'form', 'effect'],
    );
  }

  /** Resolves after the commits. A failed report may be handed over again: its effects are idempotent. */
  async execute({ recipients, envelope, raw, receivedAt }: ArrivedReport): Promise<void> {
    const distinct = new Map(recipients.map((to) => [`${to.report} ${recordOf(to)}`, to]));
    // once for all recipients: parsing the largest takes a tenth of a second
    const report = readReport(raw, { keys: reportAddressKeys(this.settings.secretKeys) });
    for (const to of distinct.values()) {
      const came = { address: to.address, sender: envelope.sender, raw, receivedAt };
      const { effect, message } = await this.take(to, report, came);
      this.count(to, report, effect, message);
    }
  }

  private async take(
    to: ReportRecipient,
    report: Report,
    came: RawReport,
  ): Promise<{ effect: Handled; message?: ReportedMessage }> {
    if (to.report === 'feedback-loop') return this.takeFeedback(report, came);
    if (report.kind !== 'complaint' && !isBounceKind(report)) return { effect: `dropped: ${report.kind}` };
    // recipients can read the feedback address in their message, so it proves no bounce
    if (to.report === 'feedback' && report.kind !== 'complaint') return { effect: 'wrong-address' };
    const message = await findReported(this.dataSource.manager, to, report);
    if (!message) return { effect: 'unmatched' };
    const verdict = judgeReport(report, { recipient: message.recipient });
    if (verdict.means === 'nothing' && report.kind !== 'complaint') {
      return { effect: `dropped: ${verdict.because}`, message };
    }
    return { effect: await this.record(message, { verdict, provider: providerOf(report) }, came), message };
  }

  /** Mail to the fixed address identifies its message in its text; mail that does not is kept for operators. */
  private async takeFeedback(
    report: Report,
    came: RawReport,
  ): Promise<{ effect: Handled; message?: ReportedMessage }> {
    const { manager } = this.dataSource;
    if (report.kind !== 'complaint') {
      await keepFeedbackMail(manager, came, report.kind);
      return { effect: 'kept' };
    }
    const message = await findComplained(manager, report);
    const effect = message
      ? await this.record(
          message,
          {
            verdict: judgeReport(report, { recipient: message.recipient }),
            provider: providerOf(report),
          },
          came,
        )
      : 'unmatched';
    if (effect === 'unmatched') await keepFeedbackMail(manager, came, report.kind);
    if (effect !== 'again')
      await countFeedback(manager, {
        form: report.form,
        isMatched: effect !== 'unmatched',
        at: came.receivedAt,
      });
    return message ? { effect, message } : { effect };
  }

  /** Content that cannot be part of the transaction is written before it, and deleted if the record was not stored. */
  private async record(
    message: ReportedMessage,
    { verdict, provider }: { verdict: ReportVerdict; provider: string | null },
    came: RawReport,
  ): Promise<Exclude<Handled, `dropped: ${string}`>> {
    if (verdict.means === 'bounce') await deliveryKnown(this.dataSource.manager, message);
    const record = reportRecord(came, message, verdict.means === 'bounce');
    await this.store.putContents([record]);
    const effect = await this.dataSource.transaction(async (tx) => {
      const locked = await lockReported(tx, message);
      if (!locked || (await isGone(tx, message))) return 'unmatched';
      if (await isStored(tx, message, came)) return 'again';
      await this.store.insert(tx, [record]);
      if (verdict.means === 'nothing') return 'complaint-stored';
      return this.effects.execute(tx, locked, { verdict, provider, at: came.receivedAt });
    });
    if (effect === 'bounced') this.mailer.wake();
    if (effect === 'unmatched' || effect === 'again') await this.store.dropContents([record]);
    return effect;
  }

  private count(to: ReportRecipient, report: Report, effect: Handled, message?: ReportedMessage): void {
    const { kind } = report;
    const form = 'form' in report ? (report.form ?? 'other') : 'none';
    this.handled.inc({ kind, form, effect });
    this.logger.info(
      {
        event: 'report.handled',
        ...{ kind, form, effect, address_kind: to.report, record_id: recordOf(to), cut: report.cut },
        ...(message ? { account_id: message.accountId, domain: message.domain, message_id: message.id } : {}),
      },
      'report handled',
    );
  }
}

const recordOf = (to: ReportRecipient): string | undefined => ('record_id' in to ? to.record_id : undefined);

const isBounceKind = ({ kind }: Report): boolean => kind === 'dsn' || kind === 'bounce-text';

const isGone = async (tx: EntityManager, { accountId }: ReportedMessage): Promise<boolean> =>
  (await deletedAccounts(tx, [accountId])).size > 0;

async function isStored(tx: EntityManager, message: ReportedMessage, { raw }: RawReport): Promise<boolean> {
  const rows: unknown[] = await tx.query('select from messages where id = $1', [recordIdOf(message.id, raw)]);
  return rows.length > 0;
}
