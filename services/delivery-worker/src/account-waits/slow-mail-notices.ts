import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MailSlowed } from '@postmesh/delivery-worker-contract';
import { Outbox } from '@postmesh/events';
import { Periodic } from '@postmesh/work';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { HeldMail } from './held-mail.js';
import type { HeldWait } from './held-wait.js';

// A provider that takes little for some minutes is nothing that a person has to know.
const LONG_MS = 30 * 60_000;
const BATCH = 200;
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** Reports accounts whose mail has waited long for a provider, each once a day at most. */
@Injectable()
export class SlowMailNotices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly held: HeldMail,
    private readonly outbox: Outbox,
    private readonly clock: ShapingClock,
  ) {}

  @Periodic({ name: 'notice-slow-mail', everyMs: 300_000, timeoutMs: 300_000 })
  async notice(signal: AbortSignal): Promise<void> {
    await this.dataSource.query(FORGET);
    for (let after = NO_ACCOUNT; !signal.aborted;) {
      const accounts = await this.held.accountsAfter(after, BATCH);
      for (const account of accounts) if (!signal.aborted) await this.noticeOne(account);
      if (accounts.length < BATCH) return;
      after = accounts.at(-1) ?? after;
    }
  }

  private async noticeOne(account_id: string): Promise<void> {
    const waits = (await this.held.of(account_id)).flatMap((wait) => this.longWait(wait) ?? []);
    if (waits.length === 0) return;
    await this.dataSource.transaction(async (tx) => {
      const first: unknown[] = await tx.query(FIRST_OF_THE_DAY, [account_id]);
      if (first.length > 0) await this.outbox.add(tx, MailSlowed.make({ account_id, waits }, { account_id }));
    });
  }

  private longWait({ by, destinations, messages, share, since, until, reason, oldest }: HeldWait) {
    const before = this.clock.now() - LONG_MS;
    if (since === null || Date.parse(since) > before || oldest.getTime() > before) return undefined;
    return { by, destinations, messages, share, since, until, reason };
  }
}

const FIRST_OF_THE_DAY = `insert into slow_notices (account_id, noticed_at) values ($1, now())
  on conflict (account_id) do update set noticed_at = now()
  where slow_notices.noticed_at <= now() - interval '1 day' returning account_id`;

const FORGET = `delete from slow_notices where noticed_at < now() - interval '2 days'`;
