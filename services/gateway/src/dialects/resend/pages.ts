import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import type { Result } from '../dialect.js';
import { refused, supported, type FieldTable } from '../fields.js';

const noCursor = refused('ours has cursors, which the response of theirs has no field for');

/** The query of each list. */
export const LIST_QUERY: FieldTable = {
  limit: supported('`limit`', () => ({})),
  after: noCursor,
  before: noCursor,
};

const Page = z.object({ data: z.array(z.unknown()), pagination: z.object({ has_more: z.boolean() }) });

export const itemsOf = ({ body }: Result): unknown[] => Page.parse(body).data;

/** A page of ours as a list of theirs. */
export function pageOf({ body }: Result, show: (item: unknown) => object): ApiResponse {
  const { data, pagination } = Page.parse(body);
  return apiResponse(200, { object: 'list', has_more: pagination.has_more, data: data.map(show) });
}

export const first = (results: readonly Result[]): Result => results[0] as Result;
