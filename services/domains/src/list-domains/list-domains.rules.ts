import { ApiErrors } from '@postmesh/contracts';
import type { Sql } from '@postmesh/pagination';
import { ListDomainsQuery } from './list-domains.query.js';

type Query = Readonly<Record<string, string | undefined>>;

/**
 * The account's domains that the query asks for (spec 1-platform §11.3).
 * @throws ApiError 400 for a filter value that is none
 */
export function domainList(accountId: string, query: Query): Sql {
  const parameters: unknown[] = [accountId];
  let text = 'select id, created_at from domains where account_id = $1';
  const valid = choice(query, 'dns_valid');
  if (valid !== undefined) {
    const states = `state in ('valid', 'suspect')`;
    text += valid === 'true' ? ` and ${states}` : ` and not ${states}`;
  }
  const sendingType = choice(query, 'sending_type');
  if (sendingType !== undefined) {
    parameters.push(sendingType);
    text += ` and sending_type = $${parameters.length}`;
  }
  return { text, parameters };
}

function choice(query: Query, name: keyof typeof ListDomainsQuery.shape): string | undefined {
  const value = ListDomainsQuery.shape[name].safeParse(query[name]);
  if (!value.success) throw ApiErrors.invalidParameter(name);
  return value.data;
}
