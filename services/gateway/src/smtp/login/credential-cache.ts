import { Injectable } from '@nestjs/common';
import { SmtpCredentialLookupResponse, type KnownSmtpCredential } from '@postmesh/accounts-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { BatchedLookups } from '../../cache-lease/batched-lookups.js';
import { LeasedCache, type Found } from '../../cache-lease/leased-cache.js';

const MAX_CREDENTIALS = 20_000;
const MAX_PER_LOOKUP = 100;
/** No username is longer, so a longer one is unknown without a look-up. */
const MAX_USERNAME_LENGTH = 255;

/** The cache of SMTP credentials by username. */
@Injectable()
export class CredentialCache {
  readonly credentials: LeasedCache<string, KnownSmtpCredential>;

  constructor(private readonly client: InternalClient) {
    this.credentials = new LeasedCache({
      max: MAX_CREDENTIALS,
      lookups: new BatchedLookups({
        ask: (usernames) => this.ask(usernames),
        maxPerBatch: MAX_PER_LOOKUP,
        what: 'usernames',
      }),
      namesOf: ({ credential_id, account_id }) => ({ id: credential_id, accountId: account_id }),
    });
  }

  /**
   * @returns undefined for an unknown username
   * @throws Transient when the look-up in the accounts service fails
   */
  async find(username: string): Promise<KnownSmtpCredential | undefined> {
    if (username.length > MAX_USERNAME_LENGTH) return undefined;
    return this.credentials.known(username) ?? this.credentials.lookUp(username, username);
  }

  private async ask(usernames: readonly string[]): Promise<Found<KnownSmtpCredential>[]> {
    const request = {
      method: 'POST' as const,
      path: '/internal/smtp-credentials/lookup',
      body: { usernames },
    };
    const response = await this.client.request('accounts', request, SmtpCredentialLookupResponse);
    if (!response) throw new Transient('the accounts service does not know SMTP credentials');
    const byName = new Map(response.credentials.map((credential) => [credential.username, credential]));
    return usernames.map((username) => ({ revision: response.revision, value: byName.get(username) }));
  }
}
