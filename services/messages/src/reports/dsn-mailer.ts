import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { DebouncedTask, TokenBuckets } from '@postmesh/concurrency';
import { DomainFacts } from '@postmesh/domains-contract';
import { failureKind, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { Periodic, PeriodicTasks } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { SendRequest } from '../accept/send-request.rules.js';
import { SendRequestStore } from '../accept/send-request-store.js';
import { waitAfter } from '../system-mail/system-mail.rules.js';
import { ComposeDsn, type DsnMessages } from './compose-dsn.js';

const BATCH_SIZE = 200;
// Share of one domain in a batch, so that other domains follow soon.
const DOMAIN_SHARE = 20;
const MAX_BATCHES = 1_000;
// After a failure, and for domains above their rate.
const AGAIN_MS = 10_000;
const DELETED_AT_ONCE = 10_000;
// Rate of one domain: a burst of bounces is sent to its mailbox over hours instead of at once.
const DOMAIN_LIMIT = { burst: 100, perSecond: 2 };

interface Due {
  message_id: string;
  account_id: AccountId;
  domain: string;
  tries: number;
}

/**
 * Mails reports of bounced and failed messages to their senders (spec 2-messages §15.6), each once, round-robin by
 * domain.
 */
@Injectable()
export class DsnMailer implements BeforeApplicationShutdown {
  private readonly buckets = new TokenBuckets();
  private readonly sent;
  private readonly sending: DebouncedTask = new DebouncedTask(
    (signal) => this.sendDue(signal),
    (error) => {
      this.sending.triggerIn(AGAIN_MS);
      this.logger.warn(
        { event: 'dsn.send_failed', err: error },
        'sending reports to senders failed, will retry',
      );
    },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly composing: ComposeDsn,
    private readonly client: InternalClient,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter(
      'postmesh_dsn_reports_total',
      'Reports to senders about messages that bounced or failed, by what became of the request',
      ['result'],
    );
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sending.stop();
  }

  /** A report was requested: runs now, in a process with periodic work. Again after a failure. */
  wake(): void {
    if (this.tasks.areHere) this.sending.trigger();
  }

  /** @throws Transient when the domains service is unavailable: all reports wait for the next run */
  @Periodic({ name: 'send-dsn-reports', everyMs: 60_000, timeoutMs: 120_000 })
  async sendDue(signal: AbortSignal): Promise<void> {
    const paused = new Set<string>();
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const due: Due[] = await this.dataSource.query(DUE, [
        BATCH_SIZE,
        DOMAIN_SHARE,
        [...paused].map((key) => key.slice(0, 36)),
        [...paused].map((key) => key.slice(37)),
      ]);
      if (due.length === 0) break;
      const recipients = await this.recipientsOf(due);
      const wanted = due.filter((one) => recipients.has(keyOf(one)));
      await this.forgetUnwanted(due.filter((one) => !recipients.has(keyOf(one))));
      const allowed = wanted.filter((one) => this.isAllowed(one, paused));
      await this.sendAll(allowed, recipients);
    }
    // domains above their rate have more
    if (paused.size > 0 && this.tasks.areHere) this.sending.triggerIn(AGAIN_MS);
  }

  private isAllowed(one: Due, paused: Set<string>): boolean {
    const key = keyOf(one);
    if (paused.has(key)) return false;
    if (this.buckets.take(key, DOMAIN_LIMIT) === 0) return true;
    paused.add(key);
    return false;
  }

  /** Addresses for reports of the domains of a batch, by account and domain; domains without reports are left out. */
  private async recipientsOf(due: readonly Due[]): Promise<ReadonlyMap<string, string>> {
    const byAccount = new Map<string, Set<string>>();
    for (const { account_id, domain } of due) {
      byAccount.set(account_id, (byAccount.get(account_id) ?? new Set()).add(domain));
    }
    const recipients = new Map<string, string>();
    for (const [accountId, domains] of byAccount) {
      const path = `/internal/accounts/${accountId}/domains/find`;
      const request = { method: 'POST' as const, path, body: { domains: [...domains] } };
      const found = await this.client.request('domains', request, z.array(DomainFacts));
      for (const { domain, dsn_recipient: to } of found ?? []) {
        if (to) recipients.set(`${accountId} ${domain}`, to);
      }
    }
    return recipients;
  }

  /** Deletes all requests of domains without reports at once. */
  private async forgetUnwanted(due: readonly Due[]): Promise<void> {
    const domains = new Map(due.map((one) => [keyOf(one), one]));
    if (domains.size === 0) return;
    await this.dataSource.query(FORGET, [
      [...domains.values()].map(({ account_id }) => account_id),
      [...domains.values()].map(({ domain }) => domain),
      DELETED_AT_ONCE,
    ]);
  }

  private async sendAll(due: readonly Due[], recipients: ReadonlyMap<string, string>): Promise<void> {
    if (due.length === 0) return;
    const to = new Map(due.map((one) => [one.message_id, recipients.get(keyOf(one)) ?? '']));
    const reports = await this.composing.of(to);
    for (const one of due) this.sent.inc({ result: await this.send(one, reports) });
  }

  private async send(one: Due, reports: DsnMessages): Promise<'sent' | 'left-out' | 'failed'> {
    try {
      return await this.accept(one, await reports(one.message_id));
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      const line = { event: 'dsn.compose_failed', err: error, message_id: one.message_id };
      this.logger.error(line, 'a report to a sender could not be composed, will retry');
      await this.dataSource.query(
        `update dsn_requests set tries = tries + 1, next_try_at = now() + make_interval(secs => $2)
         where message_id = $1`,
        [one.message_id, waitAfter(one.tries) / 1000],
      );
      return 'failed';
    }
  }

  /** One transaction deletes the request and stores the report, so each report is sent once. */
  private async accept(one: Due, request: SendRequest | undefined): Promise<'sent' | 'left-out'> {
    if (request) await this.store.putContents([request]);
    const mine = await this.dataSource.transaction(async (tx) => {
      const [taken]: [unknown[], number] = await tx.query(
        'delete from dsn_requests where message_id = $1 returning message_id',
        [one.message_id],
      );
      if (taken.length > 0 && request) await this.store.insert(tx, [request]);
      return taken.length > 0;
    });
    if (!mine && request) await this.store.dropContents([request]);
    return mine && request ? 'sent' : 'left-out';
  }
}

const keyOf = ({ account_id, domain }: Due): string => `${account_id} ${domain}`;

// One index probe per domain: the cost depends on the number of domains, not of rows.
const DUE = `
  with recursive domains as (
    (select account_id, domain from dsn_requests order by account_id, domain limit 1)
    union all
    select next.account_id, next.domain from domains d cross join lateral (
      select r.account_id, r.domain from dsn_requests r where (r.account_id, r.domain) > (d.account_id, d.domain)
      order by r.account_id, r.domain limit 1) next)
  select due.message_id, due.account_id, due.domain, due.tries from domains d cross join lateral (
    select * from dsn_requests r where r.account_id = d.account_id and r.domain = d.domain and r.next_try_at <= now()
    order by r.next_try_at limit $2) due
  where (d.account_id, d.domain) not in (select * from unnest($3::uuid[], $4::text[]))
  limit $1`;

const FORGET = `
  delete from dsn_requests where message_id in (
    select r.message_id from dsn_requests r join unnest($1::uuid[], $2::text[]) as given(account_id, domain)
      on r.account_id = given.account_id and r.domain = given.domain limit $3)`;
