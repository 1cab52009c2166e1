import { Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import { AccessKeyCache, KeyCache, SessionCache, type ActiveKey } from '../api-keys/key-cache.js';
import { KeyUses } from '../api-keys/key-uses.js';
import { sessionSecret } from '../console/console-request.rules.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import type { Exchange } from './exchange.js';
import { bearerToken } from './request-head.rules.js';

/** Finds the caller of a request: a session in the console, an API key everywhere else. Neither is taken for the other. */
@Injectable()
export class Callers {
  constructor(
    private readonly keys: KeyCache,
    private readonly accessKeys: AccessKeyCache,
    private readonly sessions: SessionCache,
    private readonly limits: RateLimits,
    private readonly uses: KeyUses,
  ) {}

  /** @throws ApiError 401, 429; Transient when the look-up fails */
  async find(exchange: Exchange): Promise<ActiveKey> {
    const { isConsole, request } = exchange;
    const secret = isConsole ? sessionSecret(request.headers) : keySecret(exchange);
    if (secret === undefined) throw isConsole ? ApiErrors.noSession() : ApiErrors.missingBearer();
    const cache = isConsole ? this.sessions : this.keysFor(exchange);
    const key = await cache.find(secret, (ask) =>
      this.limits.failures.lookUp(exchange.clientIp, ask, () => (exchange.hasPaidFailure = true)),
    );
    if (!key) throw isConsole ? ApiErrors.noSession() : ApiErrors.invalidKey();
    if (key.blocked && !isOfSession(exchange)) throw ApiErrors.accountBlocked();
    return key;
  }

  /**
   * The key of a request that was refused before its caller was looked for, if it is known without a look-up. The id of an
   * access key proves nothing, so a signed request has none.
   */
  known(exchange: Exchange): ActiveKey | undefined {
    const secret = exchange.dialect?.verify ? undefined : keySecret(exchange);
    return secret === undefined ? undefined : this.keys.known(secret);
  }

  /** A signed request names its key by the access key. */
  private keysFor({ dialect }: Exchange): KeyCache | AccessKeyCache {
    return dialect?.verify ? this.accessKeys : this.keys;
  }

  /** Records its use, which is reported later. */
  used(caller: ActiveKey): void {
    this.uses.record(caller);
  }
}

/** The secret of an API key, where the client has it: in a dialect that may be another header. */
export const keySecret = ({ request, dialect }: Exchange): string | undefined =>
  (dialect?.secretOf ?? bearerToken)(request.rawHeaders);

/** A member whose account is blocked may leave it for another one, and sign out. */
const isOfSession = ({ operation }: Exchange): boolean => /^sessions?\./.test(operation?.id ?? '');
