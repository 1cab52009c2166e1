import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SesKeyLookup, type KeyLookupResponse } from '@postmesh/accounts-contract';
import { Internal } from '@postmesh/service-host';
import { FACT_COLUMNS, factJoins } from '../account/account-facts.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { knownKey, type KeyRow } from '../key-lookup/key-lookup.js';

/** Finds API keys by their access keys, with the sealed secrets that signatures are checked with. */
@Injectable()
export class SesCredentialLookup {
  constructor(private readonly dataSource: DataSource) {}

  /** One statement, so that revision and facts are consistent (see CacheLeases). */
  async find(accessKeyIds: readonly string[]): Promise<KeyLookupResponse> {
    // Postgres accepts no NUL, and all ids consist of these characters
    const possible = accessKeyIds.filter((id) => /^[A-Z0-9]+$/.test(id));
    const rows: Row[] = await this.dataSource.query(LOOKUP, [possible]);
    return {
      revision: Number(rows[0]?.revision),
      keys: rows.flatMap(({ sealedSecret, accessKeyId, ...row }) => {
        const key = row.keyId === null ? undefined : knownKey(row, accessKeyId);
        return key ? [{ ...key, sealed_signing_secret: sealedSecret }] : [];
      }),
    };
  }
}

type Row = Omit<KeyRow, 'hash'> & { revision: string; accessKeyId: string; sealedSecret: string };

const LOOKUP = `select current.revision, ses.access_key_id as "accessKeyId", ses.sealed_secret as "sealedSecret",
    key.id as "keyId", key.ip_allow_list as "ipAllowList", key.last_used_at as "lastUsedAt",
    array(select scope from api_key_scopes scope where scope.api_key_id = key.id order by position) as scopes,
    ${FACT_COLUMNS}
  from key_revision current
  left join ses_credentials ses on ses.access_key_id = any($1::text[])
  left join api_keys key on key.id = ses.api_key_id
  ${factJoins('key.account_id')}`;

@Controller('internal/ses-credentials')
@Internal()
export class SesCredentialLookupController {
  constructor(private readonly credentials: SesCredentialLookup) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body(internalBody(SesKeyLookup)) { access_key_ids }: SesKeyLookup): Promise<KeyLookupResponse> {
    return this.credentials.find(access_key_ids);
  }
}
