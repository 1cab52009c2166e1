import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type AccountId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { DnsHostToken } from '../database/entities.js';
import { dnsRecords } from '../dns/dns-records.rules.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import type { DomainResult } from '../sending-domains/domain.resource.js';
import { GetDomain } from '../sending-domains/get-domain.js';
import { digestOf, planChanges, type PlannedRecord } from './dns-changes.rules.js';
import { DnsHostClient } from './dns-host-client.js';
import { DnsHostTokens } from './dns-host-tokens.repository.js';
import { DnsHostError } from './hosts/dns-host.port.js';

/** The difference for a domain, or the reason why it is not known. */
export interface Difference {
  readonly domain: string;
  readonly token: DnsHostToken | null;
  readonly planned: readonly PlannedRecord[];
  readonly trouble: DnsHostError | null;
  /** number of records that were written and are there now */
  readonly written: number;
}

interface Command {
  readonly accountId: AccountId;
  /** normalised */
  readonly domain: string;
}

const CHANGED = () =>
  new ApiError(409, 'the records at the DNS host have changed since: look at the difference again');
const BUSY = () => new ApiError(409, 'records of this zone are being written: look at the difference again');

/** Compares the records of a domain with those at its DNS host, and writes ours there. */
@Injectable()
export class PublishRecords {
  constructor(
    private readonly getDomain: GetDomain,
    private readonly domains: SendingDomains,
    private readonly tokens: DnsHostTokens,
    private readonly hosts: DnsHostClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws ApiError 404 */
  async difference(command: Command): Promise<Difference> {
    const found = await this.getDomain.execute(command);
    const token = await this.tokens.nearest(command.accountId, command.domain);
    return this.compare(found, token);
  }

  /**
   * Writes the difference that has this digest, and reads it again: an error of the host does not say whether it has written.
   * @param only which records are written; all by default
   * @throws ApiError 404, 409
   */
  async write(
    { digest, ...command }: Command & { digest: string | undefined },
    only: (planned: PlannedRecord) => boolean = () => true,
  ): Promise<Difference> {
    const found = await this.getDomain.execute(command);
    const token = await this.tokens.nearest(command.accountId, command.domain);
    if (!token) return this.compare(found, token);
    const done = await this.tokens.exclusively(token, async () => {
      const before = await this.compare(found, token);
      if (before.trouble) return before;
      if (digest !== undefined && digest !== digestOf(before.planned)) throw CHANGED();
      const wanted = before.planned.filter((planned) => planned.change !== null && only(planned));
      return wanted.length === 0 ? before : this.carryOut(found, token, wanted);
    });
    if (!done) throw BUSY();
    return done.value;
  }

  private async carryOut(
    found: DomainResult,
    token: DnsHostToken,
    wanted: readonly PlannedRecord[],
  ): Promise<Difference> {
    const changes = wanted.flatMap(({ change }) => (change ? [change] : []));
    const host = this.hosts.of(token.host, this.tokens.open(token));
    const trouble = await host.write(token.zone, changes).then(
      () => null,
      (error: unknown) => asTrouble(error),
    );
    const after = await this.compare(found, token);
    const isThere = ({ record }: PlannedRecord) =>
      after.planned.some((now) => now.record.kind === record.kind && now.step === 'present');
    const written = wanted.filter(isThere).length;
    const { id: domainId, accountId, domain } = found.domain;
    const line = { event: 'dns_host.written', domain_id: domainId, account_id: accountId, host: token.host };
    const counts = { wanted: wanted.length, written, trouble: trouble?.trouble ?? null };
    this.logger.info({ ...line, domain, ...counts }, 'records written at a DNS host');
    if (written > 0) await this.domains.checkSoon(domainId);
    // a host that has failed and has written everything has not failed
    const isComplete = after.trouble === null && written === wanted.length;
    return { ...after, written, trouble: isComplete ? null : (trouble ?? after.trouble) };
  }

  private async compare({ domain, records }: DomainResult, token: DnsHostToken | null): Promise<Difference> {
    const nothing = { domain: domain.domain, token, planned: [], trouble: null, written: 0 };
    if (!token) return nothing;
    const names = [...new Set(dnsRecords(domain, records).map(({ host }) => host))];
    const host = this.hosts.of(token.host, this.tokens.open(token));
    try {
      const present = await host.recordsAt(token.zone, names);
      return { ...nothing, planned: planChanges(domain, records, present) };
    } catch (error) {
      return { ...nothing, trouble: asTrouble(error) };
    }
  }
}

function asTrouble(error: unknown): DnsHostError {
  if (error instanceof DnsHostError) return error;
  throw error;
}
