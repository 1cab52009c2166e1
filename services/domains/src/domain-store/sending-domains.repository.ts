import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { databaseNow } from '@postmesh/database';
import { Any, In, Repository, type EntityManager } from 'typeorm';
import { SYSTEM_ACCOUNT_ID, type AccountId, type DomainId } from '@postmesh/contracts';
import type { DomainCounts, DomainOwners } from '@postmesh/domains-contract';
import { Outbox } from '@postmesh/events';
import { isDnsValid, SendingDomain } from '../database/entities.js';
import { deletedFacts, domainChanged, domainFacts, factsDiffer } from './domain-events.rules.js';

const OF_ACCOUNT = `hashtext('domains of an account'), hashtext($1)`;
const OF_NAME = `hashtext('owners of a domain name')`;

/** The inputs of the decision whether an account may add a domain. */
interface DomainClaims {
  /** the account, or the service itself, has this domain */
  taken: boolean;
  /** number of the account's domains */
  count: number;
  accountDeleted: boolean;
}

/** The sending domains. All writes are here, and publish `DomainChanged` with the change. */
@Injectable()
export class SendingDomains {
  constructor(
    @InjectRepository(SendingDomain) private readonly domains: Repository<SendingDomain>,
    private readonly outbox: Outbox,
  ) {}

  /** @returns null when the account does not have it */
  find(accountId: AccountId, domain: string, tx = this.domains.manager): Promise<SendingDomain | null> {
    return tx.findOneBy(SendingDomain, { accountId, domain });
  }

  findById(id: DomainId): Promise<SendingDomain | null> {
    return this.domains.findOneBy({ id });
  }

  /** A domain of this name that is valid in any account, or that the given account has; valid ones first. */
  async findValidOrOf(accountId: AccountId, domain: string): Promise<SendingDomain | undefined> {
    const found = await this.domains.find({
      where: [
        { domain, accountId },
        { domain, state: In(['valid', 'suspect']) },
      ],
      order: { id: 'asc' },
    });
    const valid = found.filter(isDnsValid);
    return valid.find((item) => item.accountId === accountId) ?? valid[0] ?? found[0];
  }

  /** Domains of this name in all accounts, valid ones first. */
  async named(domain: string, limit: number): Promise<SendingDomain[]> {
    const rows: { id: string }[] = await this.domains.query(
      `select id from domains where domain = $1 order by state in ('valid', 'suspect') desc, id limit $2`,
      [domain, limit],
    );
    return this.findMany(rows.map(({ id }) => id));
  }

  /** The domains of the account among the names. */
  findNamed(accountId: AccountId, names: readonly string[]): Promise<SendingDomain[]> {
    const where = { accountId, domain: Any(names) };
    return this.domains.find({ where, order: { domain: 'asc' } });
  }

  /** @returns at most `limit` names of the account that come after the given one, ascending */
  async namesAfter(accountId: AccountId, after: string, limit: number): Promise<string[]> {
    const rows: { domain: string }[] = await this.domains.query(
      'select domain from domains where account_id = $1 and domain > $2 order by domain limit $3',
      [accountId, after, limit],
    );
    return rows.map(({ domain }) => domain);
  }

  /**
   * The owners of the inbound mail for these names: valid copies own it together. Where none is valid, one copy alone
   * does, first one that was valid once, then the oldest: an account without control of the DNS reads no foreign mail.
   */
  inboundOwners(names: readonly string[]): Promise<DomainOwners['owners']> {
    return this.domains.query(
      `select account_id, id as domain_id, domain from (
         select account_id, id, domain, valid, bool_or(valid) over copies as has_valid,
                row_number() over (copies order by locked_selector is null, created_at, id) as place
           from (select *, state in ('valid', 'suspect') as valid from domains where domain = any($1::text[])) as named
         window copies as (partition by domain)) as placed
        where case when has_valid then valid else place = 1 end
        order by domain, place`,
      [names],
    );
  }

  findMany(ids: readonly string[], tx = this.domains.manager): Promise<SendingDomain[]> {
    return tx.findBy(SendingDomain, { id: Any(ids as readonly DomainId[]) });
  }

  /** Oldest first. */
  all(): Promise<SendingDomain[]> {
    return this.domains.find({ order: { createdAt: 'asc', id: 'asc' } });
  }

  /** Accounts that have none are left out. */
  countByAccount(accountIds: readonly string[]): Promise<DomainCounts['counts']> {
    return this.domains.query(
      `select account_id, count(*)::int as domain_count from domains
        where account_id = any($1::uuid[]) group by account_id`,
      [accountIds],
    );
  }

  async claims(tx: EntityManager, accountId: AccountId, domain: string): Promise<DomainClaims> {
    const [claims]: DomainClaims[] = await tx.query(
      `select exists(select from domains where domain = $2 and account_id in ($1, $3)) as taken,
              (select count(*)::int from domains where account_id = $1) as count,
              exists(select from account_states where account_id = $1) as "accountDeleted"`,
      [accountId, domain, SYSTEM_ACCOUNT_ID],
    );
    return claims as DomainClaims;
  }

  /** Time of the database, which decides when checks are due. */
  now(): Promise<Date> {
    return databaseNow(this.domains);
  }

  /**
   * Bounded per account, so that an account with thousands of due domains delays no other.
   * @returns at most `limit` domains whose check is due, longest due first; no other process gets them for `leaseS`
   */
  async claimDue(limit: number, ofAccount: number, leaseS: number): Promise<SendingDomain[]> {
    const [rows]: [{ id: string }[], number] = await this.domains.query(
      `with due as materialized (
          select id, next_check_at,
            row_number() over (partition by account_id order by next_check_at) as nth
          from domains where next_check_at <= now()),
        first as (
          select id from domains
          where next_check_at <= now() and id in (select id from due where nth <= $2 order by next_check_at limit $1)
          for update skip locked)
        update domains set next_check_at = now() + make_interval(secs => $3)
        from first where domains.id = first.id returning domains.id`,
      [limit, ofAccount, leaseS],
    );
    return this.findMany(rows.map(({ id }) => id));
  }

  /** The background checks look at its records next. */
  async checkSoon(id: DomainId): Promise<void> {
    await this.domains.query(
      'update domains set next_check_at = now() where id = $1 and next_check_at > now()',
      [id],
    );
  }

  /** Locks the domain until the transaction ends, and reads its current row. */
  async lock(tx: EntityManager, id: DomainId): Promise<SendingDomain | null> {
    // a statement of its own: only the next one sees the change that it waited for
    await tx.query('select from domains where id = $1 for update', [id]);
    return tx.findOneBy(SendingDomain, { id });
  }

  /** Some of the account's domains, locked like in `lock`. */
  async lockSome(tx: EntityManager, accountId: AccountId, limit: number): Promise<SendingDomain[]> {
    const rows: { id: string }[] = await tx.query(
      'select id from domains where account_id = $1 order by id limit $2 for update',
      [accountId, limit],
    );
    return this.findMany(
      rows.map(({ id }) => id),
      tx,
    );
  }

  async insert(tx: EntityManager, domain: SendingDomain): Promise<void> {
    await tx.insert(SendingDomain, domain);
    await this.outbox.add(tx, domainChanged(domainFacts(domain), domain.createdAt));
  }

  /** @param before locked in this transaction; only what differs in `after` is written */
  async update(tx: EntityManager, before: SendingDomain, after: SendingDomain): Promise<void> {
    const { records: _records, publicKeys: _publicKeys, ...row } = after;
    const changed = Object.entries(row).filter(([name, value]) => value !== before[name as keyof typeof row]);
    await tx.update(SendingDomain, { id: before.id }, Object.fromEntries(changed));
    if (!factsDiffer(before, after)) return;
    await this.outbox.add(tx, domainChanged(domainFacts(after), after.updatedAt));
  }

  /**
   * Deletes domains with their keys and verdicts.
   * @param domains locked in this transaction
   */
  async remove(tx: EntityManager, domains: readonly SendingDomain[]): Promise<void> {
    if (domains.length === 0) return;
    const now = new Date();
    // their names are withdrawn from the managed zone later
    await tx.query(
      `insert into alias_withdrawals (domain_token, created_at)
       select domain_token, $2 from domains where id = any($1::uuid[]) and dns_mode = 'managed'
       on conflict do nothing`,
      [domains.map(({ id }) => id), now],
    );
    await tx.delete(SendingDomain, { id: Any(domains.map(({ id }) => id)) });
    await this.outbox.add(
      tx,
      domains.map((domain) => domainChanged(deletedFacts(domain), now)),
    );
  }

  /**
   * The same domain in other accounts, under the same selector, may have lost its records to this one: it is
   * checked next, and a failure then counts at once (spec 1-platform §11.5 rule 8).
   */
  async contestCopies(tx: EntityManager, valid: SendingDomain): Promise<void> {
    await tx.query(
      `update domains set contested = true, next_check_at = $4
        where domain = $1 and id <> $2 and state in ('valid', 'suspect') and locked_selector = $3`,
      [valid.domain, valid.id, valid.lockedSelector, valid.lastDnsCheckAt],
    );
  }

  /** Until the transaction ends no other request adds a domain to the account, and its deletion waits. */
  async lockAccount(tx: EntityManager, accountId: AccountId): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
  }

  /** For an account that adds a domain: the same, and the name does not become the system's meanwhile. */
  async lockForCreate(tx: EntityManager, accountId: AccountId, domain: string): Promise<void> {
    await tx.query(
      `select pg_advisory_xact_lock(${OF_ACCOUNT}), pg_advisory_xact_lock_shared(${OF_NAME}, hashtext($2))`,
      [accountId, domain],
    );
  }

  /** Until the transaction ends no account can add a domain of this name. */
  async lockName(tx: EntityManager, domain: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(${OF_NAME}, hashtext($1))`, [domain]);
  }
}
