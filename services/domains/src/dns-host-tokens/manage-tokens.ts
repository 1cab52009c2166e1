import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, normaliseDomain, type AccountId } from '@postmesh/contracts';
import type { DnsHostToken } from '../database/entities.js';
import { isPublicSuffix } from '../dns/dns-records.rules.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';
import { DnsHostClient } from './dns-host-client.js';
import { DnsHostTokens } from './dns-host-tokens.repository.js';
import type { TokenBody } from './dns-host.schema.js';
import { DnsHostError } from './hosts/dns-host.port.js';
import { DNS_HOSTS } from './hosts/hosts.table.js';

const MAX_OF_ACCOUNT = 200;

const TokenErrors = {
  notFound: () => ApiErrors.notFound('dns host'),
  limitReached: () => new ApiError(403, `an account has at most ${MAX_OF_ACCOUNT} tokens of DNS hosts`),
  needsKeyId: () => new ApiError(400, 'access_key_id is required for this host'),
  hasNoKeyId: () => new ApiError(400, 'access_key_id is not for this host'),
  notUsable: (text: string) => new ApiError(400, `the token cannot be used: ${text}`),
} as const;

/** The tokens of an account. A token is tried before it is kept. */
@Injectable()
export class ManageTokens {
  constructor(
    private readonly tokens: DnsHostTokens,
    private readonly hosts: DnsHostClient,
  ) {}

  list(accountId: AccountId): Promise<DnsHostToken[]> {
    return this.tokens.list(accountId);
  }

  /** @param by `member <id>` or the name of an operator @throws ApiError 400, 403 */
  async put(accountId: AccountId, by: string, body: TokenBody): Promise<DnsHostToken> {
    const { host, token, access_key_id: accessKeyId = null, allow_rotation: allowRotation = false } = body;
    const zone = normaliseDomain(body.zone);
    if (zone === undefined || isPublicSuffix(zone)) throw DomainErrors.invalidName();
    const { hasAccessKeyId } = DNS_HOSTS[host];
    if (hasAccessKeyId && accessKeyId === null) throw TokenErrors.needsKeyId();
    if (!hasAccessKeyId && accessKeyId !== null) throw TokenErrors.hasNoKeyId();
    try {
      await this.hosts.of(host, { token, accessKeyId }).recordsAt(zone, [zone]);
    } catch (error) {
      if (error instanceof DnsHostError) throw TokenErrors.notUsable(error.message);
      throw error;
    }
    const given = { zone, host, token, accessKeyId, allowRotation, addedBy: by };
    const kept = await this.tokens.put(accountId, given, MAX_OF_ACCOUNT);
    if (!kept) throw TokenErrors.limitReached();
    return kept;
  }

  /** @throws ApiError 404 */
  async allowRotation(accountId: AccountId, id: string, isAllowed: boolean): Promise<DnsHostToken> {
    const found = await this.find(accountId, id);
    await this.tokens.allowRotation(found, isAllowed);
    return { ...found, allowRotation: isAllowed, rotationProblem: null };
  }

  /** @throws ApiError 404 */
  async remove(accountId: AccountId, id: string): Promise<void> {
    await this.tokens.remove(await this.find(accountId, id));
  }

  private async find(accountId: AccountId, id: string): Promise<DnsHostToken> {
    const found = await this.tokens.find(accountId, id);
    if (!found) throw TokenErrors.notFound();
    return found;
  }
}
