import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** An address from which mail leaves, with the name in its greeting. */
export interface EgressAddress {
  readonly address: string;
  readonly ehlo: string;
}

/**
 * The addresses of sources that operators made. One that was removed stays for a day: an attempt that is in flight ends
 * within minutes, but receivers that defer or queue a message judge its sender later, and resolvers keep the record.
 */
@Injectable()
export class EgressAddresses {
  constructor(private readonly dataSource: DataSource) {}

  /** @param sources all of them */
  async replace(tx: EntityManager, sources: readonly EgressAddress[]): Promise<void> {
    const addresses = sources.map(({ address }) => address);
    await tx.query(LEAVE, [addresses]);
    await tx.query(PUT, [addresses, sources.map(({ ehlo }) => ehlo)]);
    await tx.query(FORGET);
  }

  /** Those that are used, and those that were used within a day. */
  list(): Promise<EgressAddress[]> {
    return this.dataSource.query(LIST);
  }
}

/** SQL: changes whenever the list does. */
export const EGRESS_ADDRESSES_VERSION = `(select concat_ws('/', count(*), max(changed_at)) from egress_addresses
  where kept_until is null or kept_until > now())`;

const LEAVE = `update egress_addresses set kept_until = now() + interval '1 day', changed_at = now()
  where kept_until is null and address <> all($1)`;

const PUT = `insert into egress_addresses as known (address, ehlo)
  select * from unnest($1::text[], $2::text[])
  on conflict (address) do update set ehlo = excluded.ehlo, kept_until = null, changed_at = now()
  where known.kept_until is not null or known.ehlo <> excluded.ehlo`;

const FORGET = `delete from egress_addresses where kept_until < now()`;

const LIST = `select address, ehlo from egress_addresses where kept_until is null or kept_until > now()
  order by address`;
