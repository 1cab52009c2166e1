import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/events';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { RouteEntity } from '../database/route.entity.js';
import { stopped, type EndpointId } from '../endpoints/endpoints.js';

/** Lists of routes. */
@Injectable()
export class RoutesRepository {
  constructor(@InjectRepository(RouteEntity) private readonly routes: Repository<RouteEntity>) {}

  /** Newest first. @param domain only routes of this recipient domain; undefined = all */
  async page(
    { accountId, domain }: { accountId: string; domain: string | undefined },
    page: PageQuery,
  ): Promise<(RouteEntity & PageRow)[]> {
    const ofDomain = domain === undefined ? '' : 'and recipient_domain = $2';
    const parameters = [accountId, ...(domain === undefined ? [] : [domain])];
    const text = `select * from routes where account_id = $1 ${ofDomain}`;
    const query = pageSql({ text, parameters }, page);
    return this.routes.query(query.text, [...query.parameters]);
  }
}

/** Disables routes of deleted domains. */
@Injectable()
export class DisableRoutes {
  constructor(private readonly outbox: Outbox) {}

  /** @param domainIds finally deleted: a domain that is added again has another id */
  async ofDomains(manager: EntityManager, domainIds: readonly string[]): Promise<void> {
    // in the lock order of matching; waits for running matches, whose calls are dropped as well
    await manager.query(
      'select from routes where recipient_domain_id = any($1::uuid[]) and enabled order by id for update',
      [domainIds],
    );
    const [rows]: [EndpointId[], number] = await manager.query(
      `update routes set enabled = false, updated_at = now(), revision = revision + 1
       where recipient_domain_id = any($1::uuid[]) and enabled returning id, account_id`,
      [domainIds],
    );
    await this.outbox.add(manager, stopped(rows, 'disabled'));
  }
}
