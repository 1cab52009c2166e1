import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { KeyUses } from '@postmesh/contracts';

/** `last_used_at` moves lazily: at most one write per key in five minutes (spec 1-platform §2.1 rule 5). */
@Injectable()
export class KeyUseRecorder {
  constructor(private readonly dataSource: DataSource) {}

  async record({ uses }: KeyUses): Promise<void> {
    if (uses.length === 0) return;
    await this.dataSource.query(
      `update api_keys key set last_used_at = used.at
       from (select id, max(at) as at from unnest($1::uuid[], $2::timestamptz[]) as given (id, at)
             group by id order by id) used
       where key.id = used.id
         and (key.last_used_at is null or key.last_used_at <= used.at - interval '5 minutes')`,
      [uses.map((use) => use.key_id), uses.map((use) => use.used_at)],
    );
  }
}
