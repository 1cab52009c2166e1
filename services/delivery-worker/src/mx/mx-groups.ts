import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask, Signal } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { Ways } from '../ways/ways.js';
import { plainName, RELAY_GROUP, unknownKeyOf } from './group-key.rules.js';

interface Known {
  readonly groupKey: string;
  /** when it was learned or read, by the monotonic clock, ms */
  readonly at: number;
  /** time of the last write in the table, Unix ms; our clock may differ, which costs a write or a day at most */
  readonly writtenAt: number;
}

const MAX_KNOWN = 100_000;
// Groups learned by other workers are read again after this; an attempt detects a change on its own.
const KNOWN_MS = 3_600_000;
// A group is valid for a week; it is rewritten long before for a domain that mail goes to.
const KEPT_DAYS = 7;
const RENEW_MS = 24 * 3_600_000;
const MAX_UNWRITTEN = 10_000;

/**
 * Domains that share their mail hosts: the known groups, in memory and in the table `mx_domains` that all workers
 * share. Looks nothing up itself (resolve-groups.ts does, and each attempt).
 */
@Injectable()
export class MxGroups implements BeforeApplicationShutdown {
  /** raised when due deliveries wait for the look-up of their domain */
  readonly unknown = new Signal();
  private readonly known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  private readonly unwritten = new Map<string, string>();
  private readonly writing: DebouncedTask;

  constructor(
    private readonly dataSource: DataSource,
    private readonly ways: Ways,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.writing = new DebouncedTask(
      () => this.write(),
      (error) =>
        logger.warn(
          { event: 'mx_domains.write_failed', err: error },
          'writing groups failed, next look-up will retry',
        ),
    );
  }

  /**
   * Groups of domains as known: memory, then one query for the rest.
   * @returns by domain as given; `d:<domain>` for one that has to be looked up (`wanted`)
   */
  async keysOf(tx: EntityManager, domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (this.ways.areOnlyRelays) return new Map(domains.map((domain) => [domain, RELAY_GROUP]));
    await this.read(tx, domains);
    return new Map(domains.map((domain) => [domain, this.groupOf(domain) ?? unknownKeyOf(domain)]));
  }

  /** @returns the group as this worker knows it, without a query */
  groupOf(domain: string): string | undefined {
    return this.ways.areOnlyRelays ? RELAY_GROUP : this.fresh(plainName(domain))?.groupKey;
  }

  /** After the commit of an intake, with the domains whose key was `d:`: they are looked up now. */
  wanted(domains: readonly string[]): void {
    if (domains.length > 0) this.unknown.raise();
  }

  /** A domain was resolved to the hosts of this group: updates memory, and the table if it changed. */
  learned(domain: string, groupKey: string): void {
    const name = plainName(domain);
    const [known, at, now] = [this.known.get(name), performance.now(), Date.now()];
    if (known?.groupKey === groupKey && now - known.writtenAt < RENEW_MS) return;
    this.known.set(name, { groupKey, at, writtenAt: now });
    if (this.unwritten.size >= MAX_UNWRITTEN) return;
    this.unwritten.set(name, groupKey);
    this.writing.trigger();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.writing.stop();
  }

  private fresh(name: string): Known | undefined {
    const known = this.known.get(name);
    return known !== undefined && performance.now() - known.at < KNOWN_MS ? known : undefined;
  }

  private async read(tx: EntityManager, domains: readonly string[]): Promise<void> {
    const names = [...new Set(domains.map(plainName))].filter((name) => this.fresh(name) === undefined);
    if (names.length === 0) return;
    const rows: { domain: string; group_key: string; looked_at: Date }[] = await tx.query(READ, [names]);
    for (const { domain, group_key: groupKey, looked_at } of rows)
      this.known.set(domain, { groupKey, at: performance.now(), writtenAt: looked_at.getTime() });
  }

  private async write(): Promise<void> {
    const learned = [...this.unwritten].sort(([a], [b]) => (a < b ? -1 : 1));
    this.unwritten.clear();
    const domains = learned.map(([domain]) => domain);
    try {
      await this.dataSource.query(WRITE, [domains, learned.map(([, groupKey]) => groupKey)]);
    } catch (error) {
      for (const domain of domains) this.known.delete(domain);
      throw error;
    }
  }
}

const READ = `select domain, group_key, looked_at from mx_domains where domain = any($1::text[]) and expires_at > now()`;

// In the order of the domains, so that two workers never wait for each other; unchanged groups are not written.
const WRITE = `
  insert into mx_domains as m (domain, group_key, looked_at, expires_at)
  select domain, group_key, now(), now() + interval '${KEPT_DAYS} days'
  from unnest($1::text[], $2::text[]) as given(domain, group_key)
  on conflict (domain) do update
    set group_key = excluded.group_key, looked_at = excluded.looked_at, expires_at = excluded.expires_at
    where m.group_key <> excluded.group_key or m.looked_at < now() - interval '1 hour'`;
