import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { newId, type AccountId } from '@postmesh/contracts';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import type { DnsHostName } from '@postmesh/settings';
import { Any, Repository, type EntityManager } from 'typeorm';
import { DnsHostToken } from '../database/entities.js';
import { zonesOf } from '../domain-connect/dns-hosts.js';
import type { HostCredential } from './hosts/dns-host.port.js';

const belongsTo = (id = '') => `dns-host-token/${id}`;

/** A rotation of the secret keys encrypts tokens again. */
export const SEALED_DNS_HOST_TOKENS: SealedColumn = {
  kind: 'dns-host-tokens',
  table: 'dns_host_tokens',
  primaryKey: { id: 'uuid' },
  column: 'token',
  about: belongsTo,
};

/** A crashed write is over after this time; longer than a write takes. */
const LEASE = `interval '2 minutes'`;

export interface NewToken extends HostCredential {
  readonly zone: string;
  readonly host: DnsHostName;
  readonly allowRotation: boolean;
  readonly addedBy: string;
}

/** Tokens of DNS hosts, one for a zone of an account. */
@Injectable()
export class DnsHostTokens {
  constructor(
    @InjectRepository(DnsHostToken) private readonly rows: Repository<DnsHostToken>,
    private readonly box: SecretBox,
  ) {}

  /** At most as many as an account may have. */
  list(accountId: AccountId): Promise<DnsHostToken[]> {
    return this.rows.find({ where: { accountId }, order: { zone: 'asc' } });
  }

  find(accountId: AccountId, id: string): Promise<DnsHostToken | null> {
    return this.rows.findOneBy({ accountId, id });
  }

  /** The token for the nearest zone that the name is in. */
  async nearest(accountId: AccountId, name: string): Promise<DnsHostToken | null> {
    const found = await this.rows.findBy({ accountId, zone: Any(zonesOf(name)) });
    return found.toSorted((a, b) => b.zone.length - a.zone.length)[0] ?? null;
  }

  open({ id, sealedToken, accessKeyId }: DnsHostToken): HostCredential {
    return { token: this.box.open(sealedToken, belongsTo(id)), accessKeyId };
  }

  /** In place of an earlier one for the zone. @returns undefined at the limit of the account, or after its deletion */
  async put(accountId: AccountId, given: NewToken, limit: number): Promise<DnsHostToken | undefined> {
    const { token, ...fields } = given;
    const id = newId();
    const now = new Date();
    return this.rows.manager.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtext('tokens of an account'), hashtext($1))`, [
        accountId,
      ]);
      await tx.delete(DnsHostToken, { accountId, zone: given.zone });
      const isDeleted: unknown[] = await tx.query('select from account_states where account_id = $1', [
        accountId,
      ]);
      if (isDeleted.length > 0 || (await tx.countBy(DnsHostToken, { accountId })) >= limit) return undefined;
      const sealedToken = this.box.seal(token, belongsTo(id));
      const row = { id, accountId, ...fields, sealedToken, createdAt: now, rotationNextAt: now };
      await tx.insert(DnsHostToken, { ...row, rotationProblem: null, writingUntil: null });
      return tx.findOneByOrFail(DnsHostToken, { id });
    });
  }

  async allowRotation({ id }: DnsHostToken, allowRotation: boolean): Promise<void> {
    await this.rows.update({ id }, { allowRotation, rotationNextAt: new Date(), rotationProblem: null });
  }

  async remove({ id }: DnsHostToken): Promise<void> {
    await this.rows.delete({ id });
  }

  removeAll(tx: EntityManager, accountId: AccountId): Promise<unknown> {
    return tx.delete(DnsHostToken, { accountId });
  }

  /** One write of a zone at a time. @returns undefined while another one runs */
  async exclusively<T>({ id }: DnsHostToken, run: () => Promise<T>): Promise<{ value: T } | undefined> {
    const [claimed]: [unknown[], number] = await this.rows.query(
      `update dns_host_tokens set writing_until = now() + ${LEASE}
        where id = $1 and (writing_until is null or writing_until < now()) returning id`,
      [id],
    );
    if (claimed.length === 0) return undefined;
    try {
      return { value: await run() };
    } finally {
      await this.rows.update({ id }, { writingUntil: null });
    }
  }

  /** Tokens whose owner lets a rotation use them and that are due; no other process gets them for `leaseS`. */
  async claimForRotation(limit: number, leaseS: number): Promise<DnsHostToken[]> {
    const [rows]: [{ id: string }[], number] = await this.rows.query(
      `with due as (
          select id from dns_host_tokens where allow_rotation and rotation_next_at <= now()
          order by rotation_next_at limit $1 for update skip locked)
        update dns_host_tokens t set rotation_next_at = now() + make_interval(secs => $2)
        from due where t.id = due.id returning t.id`,
      [limit, leaseS],
    );
    return this.rows.findBy({ id: Any(rows.map(({ id }) => id)) });
  }

  /** Names of the zone whose DKIM records have not been seen. */
  async withoutDkim({ accountId, zone }: DnsHostToken, limit: number): Promise<string[]> {
    const rows: { domain: string }[] = await this.rows.query(
      `select domain from domains d
        where account_id = $1 and (domain = $2 or right(domain, length($2) + 1) = '.' || $2)
          and (select count(*) from dns_records r
                where r.domain_id = d.id and r.kind in ('dkim', 'dkim_standby') and r.propagated)
            < case dns_mode when 'managed' then 2 else 1 end
        order by last_dns_check_at desc nulls last, domain limit $3`,
      [accountId, zone, limit],
    );
    return rows.map(({ domain }) => domain);
  }

  async rotationEnded({ id }: DnsHostToken, problem: string | null, waitS: number): Promise<void> {
    await this.rows.query(
      `update dns_host_tokens set rotation_problem = $2, rotation_next_at = now() + make_interval(secs => $3) where id = $1`,
      [id, problem, waitS],
    );
  }
}
