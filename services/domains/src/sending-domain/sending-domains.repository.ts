import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SendingDomain } from './sending-domain.js';

type DomainRow = Omit<SendingDomain, 'revision'> & { revision: string };

/** Each domain with its verdicts and public keys, in one statement however many there are. */
const WHOLE_DOMAIN = `select d.*,
    coalesce((select jsonb_object_agg(r.kind, jsonb_build_object('propagated', r.propagated, 'locked_label', r.locked_label))
      from dns_records r where r.domain_id = d.id), '{}') as records,
    coalesce((select jsonb_object_agg(k.slot, k.public_key) from dkim_keys k where k.domain_id = d.id), '{}') as public_keys
  from domains d`;

@Injectable()
export class SendingDomains {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns undefined when the account does not have it */
  async find(
    accountId: string,
    domain: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<SendingDomain | undefined> {
    const where = 'where d.account_id = $1 and d.domain = $2';
    return (await this.select(manager, where, [accountId, domain]))[0];
  }

  /** A domain of this name that is valid, or that the given account has: whoever has it, valid ones first. */
  async findValidOrOf(accountId: string, domain: string): Promise<SendingDomain | undefined> {
    const where = `where d.domain = $2 and (d.account_id = $1 or d.state in ('valid', 'suspect'))
      order by d.state in ('valid', 'suspect') desc, d.account_id = $1 desc, d.id limit 1`;
    return (await this.select(this.dataSource.manager, where, [accountId, domain]))[0];
  }

  /** Those of the names that the account has. */
  findNamed(accountId: string, domains: readonly string[]): Promise<SendingDomain[]> {
    const where = 'where d.account_id = $1 and d.domain = any($2::text[]) order by d.domain';
    return this.select(this.dataSource.manager, where, [accountId, domains]);
  }

  findMany(ids: readonly string[]): Promise<SendingDomain[]> {
    return this.select(this.dataSource.manager, 'where d.id = any($1::uuid[])', [ids]);
  }

  /** Oldest first. */
  all(): Promise<SendingDomain[]> {
    return this.select(this.dataSource.manager, 'order by d.created_at, d.id', []);
  }

  /** Reads the domain as it is once nobody else changes it; it stays so until the transaction ends. */
  async lock(manager: EntityManager, id: string): Promise<SendingDomain | undefined> {
    // a statement of its own: what it waited for is seen only by the next one
    await manager.query('select from domains where id = $1 for update', [id]);
    return (await this.select(manager, 'where d.id = $1', [id]))[0];
  }

  /** Some of the account's domains, each as `lock` reads it. */
  async lockSome(manager: EntityManager, accountId: string, limit: number): Promise<SendingDomain[]> {
    const rows: { id: string }[] = await manager.query(
      'select id from domains where account_id = $1 order by id limit $2 for update',
      [accountId, limit],
    );
    return this.select(manager, 'where d.id = any($1::uuid[])', [rows.map(({ id }) => id)]);
  }

  private async select(
    manager: EntityManager,
    where: string,
    parameters: readonly unknown[],
  ): Promise<SendingDomain[]> {
    const rows: DomainRow[] = await manager.query(`${WHOLE_DOMAIN} ${where}`, [...parameters]);
    return rows.map((row) => ({ ...row, revision: Number(row.revision) }));
  }
}
