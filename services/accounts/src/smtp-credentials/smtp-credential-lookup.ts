import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  KnownSmtpCredential,
  SmtpCredentialLookup as SmtpCredentialLookupRequest,
  SmtpRehashes,
  type Rehash,
  type SmtpCredentialLookupResponse,
} from '@postmesh/accounts-contract';
import { Pepper } from '@postmesh/secrets';
import { Internal } from '@postmesh/service-host';
import { FACT_COLUMNS, factJoins, knownAccount, type FactRow } from '../account/account-facts.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { rehashShown } from '../key-lookup/rehash-shown.js';
import { PEPPERED_SMTP_CREDENTIALS } from './smtp-credential.entity.js';

/** A credential with the facts of its account. */
interface Row extends FactRow {
  credentialId: string | null;
  username: string;
  passwordHash: Buffer;
  pepperId: string;
  sandbox: boolean;
  scope: string;
  domains: string[];
}

/**
 * Finds credentials by username for logins at a listener. The hash of the password is sent to the gateway, like the
 * hashes of keys: it caches the credential under its lease, and compares without a further look-up.
 */
@Injectable()
export class SmtpCredentialLookup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
  ) {}

  /** One statement, so that revision and facts are consistent (see CacheLeases). */
  async find(usernames: readonly string[]): Promise<SmtpCredentialLookupResponse> {
    // Postgres accepts no NUL, and all usernames consist of these characters
    const possible = usernames.filter((name) => /^[a-z0-9-]+$/.test(name));
    const rows: ({ revision: string } & Row)[] = await this.dataSource.query(LOOKUP, [possible]);
    return {
      revision: Number(rows[0]?.revision),
      credentials: rows.flatMap((row) => (row.credentialId === null ? [] : (knownCredential(row) ?? []))),
    };
  }

  rehash(shown: readonly Rehash[]): Promise<void> {
    return rehashShown(
      this.dataSource,
      { column: PEPPERED_SMTP_CREDENTIALS, keyId: this.pepper.keyId },
      shown,
    );
  }
}

const LOOKUP = `select current.revision, credential.id as "credentialId", credential.username,
    credential.password_hash as "passwordHash", credential.pepper_id as "pepperId", credential.sandbox, credential.scope,
    array(select domain from smtp_credential_domains of where of.smtp_credential_id = credential.id
          order by position) as domains,
    ${FACT_COLUMNS}
  from key_revision current
  left join smtp_credentials credential on credential.username = any($1::text[])
  ${factJoins('credential.account_id')}`;

/** @returns undefined for a credential of a deleted account: 535, as if it did not exist */
function knownCredential(row: Row): KnownSmtpCredential | undefined {
  const account = knownAccount(row);
  if (!account) return undefined;
  return KnownSmtpCredential.parse({
    credential_id: row.credentialId,
    username: row.username,
    password_hash: row.passwordHash.toString('base64'),
    pepper_id: row.pepperId,
    account_id: row.accountId,
    sandbox: row.sandbox,
    scope: row.scope,
    domains: row.domains,
    blocked: account.blocked,
    account: account.facts,
  });
}

@Controller('internal/smtp-credentials')
@Internal()
export class SmtpCredentialLookupController {
  constructor(private readonly credentials: SmtpCredentialLookup) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(
    @Body(internalBody(SmtpCredentialLookupRequest)) { usernames }: SmtpCredentialLookupRequest,
  ): Promise<SmtpCredentialLookupResponse> {
    return this.credentials.find(usernames);
  }

  @Post('rehash')
  @HttpCode(200)
  async rehash(@Body(internalBody(SmtpRehashes)) { rehashes }: SmtpRehashes): Promise<{ message: string }> {
    await this.credentials.rehash(rehashes);
    return { message: 'hashes recorded' };
  }
}
