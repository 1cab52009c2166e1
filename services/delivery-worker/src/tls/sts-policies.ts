import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { SingleFlight } from '@postmesh/concurrency';
import { GroupCommit } from '@postmesh/database';
import { PublishedPolicies, type PolicyFault, type StsPolicyText } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { refreshAfterSeconds } from './sts-refresh.rules.js';
import { TlsSessions } from './tls-sessions.js';

/** A policy in force. */
export interface StsPolicy extends Pick<StsPolicyText, 'mode' | 'mx'> {
  readonly id: string;
  readonly expiresAt: Date;
}

interface Kept {
  readonly policy: StsPolicy | undefined;
  readonly until: number;
}

// How long a worker uses its memory, also of a domain without a policy.
const REMEMBER_MS = 5 * 60_000;
const MAX_REMEMBERED = 20_000;
// A burst of messages to new domains: one statement reads many, and leaves the connections to others.
const READS = { maxWeight: 500, flushers: 1, maxPending: 20_000 };

/**
 * The MTA-STS policies of recipient domains, in a table that all workers share. A policy holds until it expires, with
 * any answer of DNS or of the web server meanwhile: otherwise an attacker who silences those could switch it off (RFC
 * 8461 §5.1). Only a newly fetched policy replaces it.
 */
@Injectable()
export class StsPolicies {
  private readonly kept = new LRUCache<string, Kept>({ max: MAX_REMEMBERED });
  private readonly lookups = new SingleFlight<string, StsPolicy | undefined>();
  private readonly reads = new GroupCommit<string, StsPolicy | undefined>(
    (domains) => this.readAll(domains),
    READS,
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly published: PublishedPolicies,
    private readonly sessions: TlsSessions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns undefined when no policy holds; may take as long as its web server, at most a minute */
  async of(domain: string): Promise<StsPolicy | undefined> {
    const kept = this.remembered(domain);
    return kept ? kept.policy : this.lookups.run(domain, () => this.lookUp(domain));
  }

  /** The policy in memory, without a query. @returns undefined when `of` would query */
  remembered(domain: string): Pick<Kept, 'policy'> | undefined {
    const kept = this.kept.get(domain);
    return kept !== undefined && kept.until > Date.now() ? kept : undefined;
  }

  /** Fetches the policy again, with the same id or a new one: that extends it. @returns whether it was fetched */
  async refresh(domain: string, knownId: string): Promise<boolean> {
    const id = (await this.published.id(domain)) ?? knownId;
    return typeof (await this.renew(domain, id)) !== 'string';
  }

  async close(): Promise<void> {
    await this.published.close();
  }

  private async lookUp(domain: string): Promise<StsPolicy | undefined> {
    const [stored, id] = await Promise.all([this.reads.add(domain), this.published.id(domain)]);
    if (id === undefined || id === stored?.id) return this.keep(domain, stored);
    const renewed = await this.renew(domain, id);
    if (typeof renewed !== 'string') return this.keep(domain, renewed);
    const about = { policyDomain: domain, policyType: 'sts', policyText: [], mxHost: '' } as const;
    this.sessions.add({ ...about, result: renewed });
    return this.keep(domain, stored);
  }

  private async renew(domain: string, id: string): Promise<StsPolicy | PolicyFault> {
    const fetched = await this.published.fetch(domain);
    if (fetched.ok) return this.store(domain, id, fetched.policy);
    this.logger.info(
      { event: 'sts_policy.not_fetched', domain, reason: fetched.reason },
      'MTA-STS policy could not be fetched',
    );
    return fetched.fault;
  }

  private keep(domain: string, policy: StsPolicy | undefined): StsPolicy | undefined {
    const until = Math.min(Date.now() + REMEMBER_MS, policy?.expiresAt.getTime() ?? Infinity);
    this.kept.set(domain, { policy, until });
    return policy;
  }

  /** @returns those that hold, in the order of the domains */
  private async readAll(domains: readonly string[]): Promise<(StsPolicy | undefined)[]> {
    const rows: StoredPolicy[] = await this.dataSource.query(READ, [domains]);
    const unused = rows.filter(({ isUnused }) => isUnused).map(({ domain }) => domain);
    if (unused.length > 0) await this.dataSource.query(USED, [unused]);
    const found = new Map(rows.map((row) => [row.domain, row]));
    return domains.map((domain) => found.get(domain));
  }

  private async store(domain: string, id: string, policy: StsPolicyText): Promise<StsPolicy> {
    const { mode, mx, maxAgeSeconds } = policy;
    const refreshAfter = refreshAfterSeconds(maxAgeSeconds, Math.random());
    const [row]: { expiresAt: Date }[] = await this.dataSource.query(STORE, [
      ...[domain, id, mode, mx],
      ...[maxAgeSeconds, refreshAfter],
    ]);
    this.logger.info({ event: 'sts_policy.fetched', domain, policy_id: id, mode }, 'MTA-STS policy fetched');
    return { id, mode, mx, expiresAt: row?.expiresAt ?? new Date() };
  }
}

interface StoredPolicy extends StsPolicy {
  readonly domain: string;
  readonly isUnused: boolean;
}

const READ = `
  select domain, policy_id as id, mode, mx, expires_at as "expiresAt", used_at < now() - interval '1 day' as "isUnused"
  from sts_policies where domain = any($1::text[]) and expires_at > now()`;
const USED = 'update sts_policies set used_at = now() where domain = any($1::text[])';
const STORE = `
  insert into sts_policies (domain, policy_id, mode, mx, fetched_at, expires_at, refresh_at, used_at)
  values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5), now() + make_interval(secs => $6), now())
  on conflict (domain) do update set policy_id = excluded.policy_id, mode = excluded.mode, mx = excluded.mx,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, refresh_at = excluded.refresh_at
  returning expires_at as "expiresAt"`;
