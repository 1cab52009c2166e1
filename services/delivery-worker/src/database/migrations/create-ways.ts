import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ways out as data (docs/decisions/0143): source addresses and relays in pools, rules that give mail to a pool, the
 * addresses of the machines of workers. `pinned`: the result of an attempt is unknown, so the delivery keeps its way.
 */
export class CreateWays1764100001960 implements MigrationInterface {
  name = 'CreateWays1764100001960';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table egress_pools (
      id text primary key,
      way_order text not null,
      when_blocked text not null,
      over_budget text not null,
      origin text not null check (origin in ('settings', 'operator'))
    )`);
    await runner.query(`create table egress_sources (
      id text primary key,
      pool text not null references egress_pools,
      address text not null unique,
      ehlo text not null,
      origin text not null check (origin in ('settings', 'operator')),
      warm_up boolean not null default false,
      ptr jsonb
    )`);
    await runner.query(`create table egress_relays (
      id text primary key,
      pool text not null references egress_pools,
      place int not null,
      host text not null,
      port int not null,
      tls text not null,
      username text,
      password text,
      origin text not null check (origin in ('settings', 'operator'))
    )`);
    await runner.query(`create table egress_rules (
      id text primary key,
      place int not null,
      pool text not null references egress_pools,
      account_id uuid,
      sending_domain text,
      provider text,
      stream text check (stream in ('single', 'bulk')),
      tag text
    )`);
    await runner.query(`create table egress_machines (
      worker uuid primary key,
      addresses text[] not null,
      seen_at timestamptz(3) not null
    )`);
    await runner.query('alter table deliveries add column pinned boolean');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
