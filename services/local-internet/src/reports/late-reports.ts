import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Logger } from '@postmesh/observability';
import {
  composeReportAbout,
  reportAddress,
  type ReportKind,
  type ReportedDelivery,
} from './compose-reports.js';

/** A report in the form of the mailbox. */
export interface SentReport {
  kind: ReportKind;
  recipient: string;
  /** its recipient */
  to: string;
  /** time of the last attempt, RFC 3339 */
  at: string;
  /** the reply of the service, or the reason of a failed attempt; empty while it waits */
  reply: string;
}

export interface LateReportsOptions {
  logger: Logger;
  /** port of the service on loopback; undefined until it is known, reports wait for it */
  mxPort?: number | undefined;
  host: string;
  /** delay after the message was accepted: its sender has recorded the delivery by then */
  delayMs?: number;
}

const DELAY_MS = 500;
const RETRY_MS = 1_000;
const MAX_TRIES = 30;
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_REMEMBERED = 1_000;
const TIMEOUTS_MS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 20_000 };

/** Late reports of a receiver: accepted messages bounce, or get a complaint, a moment later. */
export class LateReports {
  private readonly sent = new Map<string, SentReport[]>();
  private readonly stopping = new AbortController();
  private mxPort: number | undefined;
  private waiting = 0;
  private waitingBytes = 0;

  constructor(private readonly options: LateReportsOptions) {
    this.mxPort = options.mxPort || undefined;
  }

  /** Sets the port of the service. */
  useMxPort(port: number): void {
    this.mxPort = port;
  }

  /** The reports of a message, oldest first. */
  of(messageId: string): readonly SentReport[] {
    return this.sent.get(messageId) ?? [];
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Sends it later. Reports above the limit are dropped: no test waits for them. */
  add(messageId: string, kind: ReportKind, about: Omit<ReportedDelivery, 'host'>): void {
    const delivery = { ...about, host: this.options.host };
    const to = reportAddress(kind, delivery);
    const size = about.message.length;
    if (to === '' || this.waiting >= MAX_WAITING || this.waitingBytes + size > MAX_WAITING_BYTES) return;
    const report: SentReport = {
      kind,
      recipient: about.recipient,
      to,
      at: new Date().toISOString(),
      reply: '',
    };
    this.remember(messageId, report);
    this.waiting += 1;
    this.waitingBytes += size;
    void this.deliver(report, delivery)
      .catch((error: unknown) => {
        if (this.stopping.signal.aborted) return;
        this.options.logger.warn({ event: 'report.failed', err: error, kind }, 'a report was not sent');
      })
      .finally(() => {
        this.waiting -= 1;
        this.waitingBytes -= size;
      });
  }

  private remember(messageId: string, report: SentReport): void {
    this.sent.set(messageId, [...this.of(messageId), report]);
    const [oldest] = this.sent.keys();
    if (this.sent.size > MAX_REMEMBERED && oldest !== undefined) this.sent.delete(oldest);
  }

  private async deliver(report: SentReport, delivery: ReportedDelivery): Promise<void> {
    const { signal } = this.stopping;
    const raw = composeReportAbout(report.kind, delivery);
    await sleep(this.options.delayMs ?? DELAY_MS, undefined, { signal });
    for (let tries = 1; ; tries++) {
      const { reply, isFinal } = await this.trySend(report.to, raw);
      report.at = new Date().toISOString();
      report.reply = reply;
      if (isFinal || tries >= MAX_TRIES) {
        const { kind, recipient } = report;
        this.options.logger.info(
          { event: 'report.sent', kind, recipient, reply, tries },
          'a report was sent',
        );
        return;
      }
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  /** One SMTP transaction with the null sender, under TLS. */
  private async trySend(to: string, raw: Buffer): Promise<{ reply: string; isFinal: boolean }> {
    const { mxPort, options } = this;
    if (mxPort === undefined) return { reply: 'the service takes no mail yet', isFinal: false };
    const transport = createTransport({
      host: '127.0.0.1',
      port: mxPort,
      name: options.host,
      requireTLS: true,
      // its certificate is self-signed
      tls: { rejectUnauthorized: false },
      ...TIMEOUTS_MS,
    });
    try {
      const { response } = await transport.sendMail({ envelope: { from: '', to: [to] }, raw });
      return { reply: response, isFinal: true };
    } catch (error) {
      const { responseCode = 0, message } = error as Error & { responseCode?: number };
      return { reply: message, isFinal: responseCode >= 500 };
    } finally {
      transport.close();
    }
  }
}
