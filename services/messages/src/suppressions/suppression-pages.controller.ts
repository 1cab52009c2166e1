import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import {
  SUPPRESSIONS_PER_PAGE,
  type ListedSuppression,
  type SuppressionsPage,
} from '@postmesh/messages-contract';
import { Internal, query } from '@postmesh/service-host';

/** Account, domain and address: the position of a row in the order of the primary key. */
const Place = z.tuple([z.uuid(), z.string(), z.string()]);
type Place = z.infer<typeof Place>;

const BEFORE_ALL: Place = ['00000000-0000-0000-0000-000000000000', '', ''];

const PageQuery = z.object({
  after: z
    .string()
    .transform((text, context): Place => {
      const place = Place.safeParse(readCursor(text));
      if (place.success) return place.data;
      context.addIssue({ code: 'custom', message: 'invalid after' });
      return z.NEVER;
    })
    .default(BEFORE_ALL),
});

/** All suppression lists, for services that keep a copy; later changes reach them as events. */
@Internal()
@Controller('internal/suppressions')
export class SuppressionPagesController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async page(@Query(query(PageQuery)) { after }: z.infer<typeof PageQuery>): Promise<SuppressionsPage> {
    const rows: Row[] = await this.dataSource.query(PAGE, [...after, SUPPRESSIONS_PER_PAGE]);
    const last = rows.length < SUPPRESSIONS_PER_PAGE ? undefined : rows.at(-1);
    return {
      suppressions: rows.map(toListed),
      next: last === undefined ? null : writeCursor([last.account_id, last.domain, last.email]),
    };
  }
}

interface Row {
  account_id: string;
  domain: string;
  email: string;
  expires_at: Date;
  revision: string;
}

const PAGE = `
  select account_id, domain, email, expires_at, revision from suppressions
  where (account_id, domain, email) > ($1::uuid, $2::text, $3::text) and expires_at > now()
  order by account_id, domain, email limit $4`;

const toListed = ({ email, expires_at, revision, ...row }: Row): ListedSuppression => ({
  ...row,
  recipient: email,
  expires_at: expires_at.toISOString(),
  revision: Number(revision),
});

const writeCursor = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function readCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
