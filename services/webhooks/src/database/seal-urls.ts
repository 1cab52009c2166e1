import { Injectable } from '@nestjs/common';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { SecretBox } from '@postmesh/secrets';
import { DataSource } from 'typeorm';
import { ENDPOINT_KINDS, type EndpointKind } from '../endpoints/endpoint-kinds.js';
import { storedUrl } from './target-url.js';

const BATCH = 500;

/** Seals the passwords of URLs that an earlier release stored in plain text. */
@Injectable()
export class SealUrls {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
  ) {}

  @Periodic({ name: 'seal-urls', everyMs: 3_600_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal): Promise<void> {
    for (const kind of ENDPOINT_KINDS) {
      for (let after: string | undefined = NIL; after !== undefined && !signal.aborted;) {
        after = await this.sealSome(kind, after);
      }
    }
  }

  /** @returns the id after which rows remain; undefined: none remain */
  private async sealSome({ table, sealedUrl }: EndpointKind, after: string): Promise<string | undefined> {
    const rows: { id: string; url: string }[] = await this.dataSource.query(
      `select id, url from ${table} where id > $1 and sealed_url is null and url like '%@%'
       order by id limit ${BATCH}`,
      [after],
    );
    for (const { id, url } of rows) {
      const stored = storedUrl(url, sealedUrl.about(id), this.box);
      if (stored.sealed_url === null) continue;
      // a row changed in the meantime is found by the next run
      await changedRows(
        this.dataSource,
        `update ${table} set url = $3, sealed_url = $4, revision = revision + 1 where id = $1 and url = $2`,
        [id, url, stored.url, stored.sealed_url],
      );
    }
    return rows.length < BATCH ? undefined : rows.at(-1)?.id;
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';
