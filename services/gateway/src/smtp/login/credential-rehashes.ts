import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SingleFlight } from '@postmesh/concurrency';
import type { KnownSmtpCredential, SmtpRehashes } from '@postmesh/accounts-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { Pepper } from '@postmesh/secrets';
import { LOGGER } from '@postmesh/service-host';

// Above this, hashes are reported at the next login.
const MAX_IN_FLIGHT = 10;

/** After a rotation of keys: reports the new hash of a password to the accounts service at a login. */
@Injectable()
export class CredentialRehashes {
  private readonly reports = new SingleFlight<string, void>();

  constructor(
    private readonly pepper: Pepper,
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  record({ credential_id, pepper_id, password_hash: from }: KnownSmtpCredential, password: string): void {
    if (pepper_id === this.pepper.keyId || this.reports.size >= MAX_IN_FLIGHT) return;
    const to = this.pepper.hash(password).toString('base64');
    const body: SmtpRehashes = { rehashes: [{ from, to, pepper_id: this.pepper.keyId }] };
    void this.reports.run(credential_id, () => this.report(body));
  }

  private async report(body: SmtpRehashes): Promise<void> {
    const request = { method: 'POST' as const, path: '/internal/smtp-credentials/rehash', body };
    await this.client
      .request('accounts', request, z.unknown())
      .catch((error: unknown) =>
        this.logger.debug(
          { event: 'smtp_credential.rehash_failed', err: error },
          'reporting a new hash failed, next login reports it',
        ),
      );
  }
}
