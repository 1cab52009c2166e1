import { Inject, Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource } from 'typeorm';
import { eachBounded } from '@postmesh/concurrency';
import type { AccountId } from '@postmesh/contracts';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { SendingDomain } from '../database/entities.js';
import { AccountSettingsStore, type AccountSettings } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { AdvanceRotation } from './advance-rotation.js';
import { nextRotationStep, type RotationStep } from './dkim-rotation.rules.js';
import { RotationFactsStore } from './rotation-facts.js';

const BATCH = 100;
// Fewer than run at once: an account with a thousand due domains leaves permits to others.
const OF_ACCOUNT = 5;
// Look-ups wait for the network; key pairs have a bound of their own.
const MAX_AT_ONCE = 10;
// Longer than a batch takes; the domains of a dead process are processed again after this.
const LEASE_MS = 15 * 60_000;

interface Claimed {
  domains: readonly SendingDomain[];
  leasedUntil: Date;
  now: Date;
}

/** Processes due rotations. `rotation_next_at` is the source of truth; the job only triggers the query. */
@Injectable()
export class RotateKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly facts: RotationFactsStore,
    private readonly advanceRotation: AdvanceRotation,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The database's clock: every process compares `rotation_next_at`. */
  private readonly clock: Clock = () => databaseNow(this.dataSource);

  /** Takes every due step until none is left. */
  @Periodic({ name: 'rotate-dkim-keys', everyMs: 15_000, timeoutMs: 300_000 })
  async sweep(signal?: AbortSignal, clock = this.clock): Promise<void> {
    while (!signal?.aborted) {
      const claimed = await this.claim(await clock());
      if (claimed.domains.length === 0) return;
      const accountOf = await this.accounts.ofMany(claimed.domains.map(({ accountId }) => accountId));
      const moving = await this.putOff(claimed, accountOf);
      await eachBounded(moving, MAX_AT_ONCE, async (domain) => {
        if (!signal?.aborted) await this.advance(domain, accountOf(domain.accountId), clock);
      });
    }
  }

  private async claim(now: Date): Promise<Claimed> {
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    const [rows]: [{ id: string }[], number] = await this.dataSource.query(
      `with due as materialized (
          select id, rotation_next_at,
            row_number() over (partition by account_id order by rotation_next_at) as nth
          from domains where dns_mode = 'managed' and rotation_next_at <= $1),
        first as (
          select id from domains
          where rotation_next_at <= $1
            and id in (select id from due where nth <= $4 order by rotation_next_at limit $3)
          for update skip locked)
        update domains set rotation_next_at = $2
        from first where domains.id = first.id returning domains.id`,
      [now, leasedUntil, BATCH, OF_ACCOUNT],
    );
    return { domains: await this.domains.findMany(rows.map(({ id }) => id)), leasedUntil, now };
  }

  /**
   * Most domains are checked and not due: these are postponed in one statement.
   * @returns the others
   */
  private async putOff(
    { domains, leasedUntil, now }: Claimed,
    accountOf: (accountId: AccountId) => AccountSettings,
  ): Promise<SendingDomain[]> {
    const known = await this.facts.ofMany(domains, accountOf);
    const looked = known.map(({ domain, facts }) => {
      return { domain, step: nextRotationStep(domain, facts, {}, now) };
    });
    const waiting = looked.filter(({ step }) => isMereWait(step));
    await this.dataSource.query(
      `update domains d set rotation_next_at = w.next_at, rotation_reason = w.reason
         from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as w(id, next_at, reason)
        where d.id = w.id and d.rotation_next_at = $4`,
      [
        waiting.map(({ domain }) => domain.id),
        waiting.map(({ step }) => step.nextAt),
        waiting.map(({ step }) => step.reason),
        leasedUntil,
      ],
    );
    return looked.flatMap(({ domain, step }) => (isMereWait(step) ? [] : [domain]));
  }

  /** A failure delays no other domain; this one is retried when its lease expires. */
  private async advance(domain: SendingDomain, account: AccountSettings, clock: Clock): Promise<void> {
    try {
      await this.advanceRotation.execute({ domain, account, clock });
    } catch (error) {
      const line = { event: 'dkim_rotation.failed', domain_id: domain.id, err: error };
      this.logger.error(line, 'step of a DKIM rotation failed, will retry');
    }
  }
}

type Clock = () => Date | Promise<Date>;

const isMereWait = ({ move, needs }: RotationStep): boolean => move === 'wait' && needs === undefined;
