import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { Principal, ServiceName } from '@postmesh/contracts';
import { signEdDsa, signHs256, verifyEdDsa, verifyHs256 } from './signing.js';

const LIFETIME_S = 30;
// A minted principal is reused for all requests of its key for this long: a signature costs more than the request.
const REUSE_MS = 5_000;
const MAX_CACHED = 10_000;

const PrincipalClaims = Principal.extend({
  iss: z.literal('gateway'),
  aud: ServiceName,
  exp: z.number().int(),
});

interface Minted {
  principal: Principal;
  token: string;
  reuseUntil: number;
}

/** Only the gateway makes principals (architecture §3.1). */
export class PrincipalMinter {
  private readonly cache = new LRUCache<string, Minted>({ max: MAX_CACHED });

  constructor(private readonly key: KeyObject) {}

  /**
   * @param principal the same object while the facts are unchanged: a new object gets a new signature
   * @returns a compact JWS that lives 30 s and is meant for `audience` alone
   */
  mint(principal: Principal, audience: ServiceName, nowMs: number = Date.now()): string {
    const id = `${principal.key_id}/${audience}`;
    const known = this.cache.get(id);
    if (known && known.principal === principal && known.reuseUntil > nowMs) return known.token;
    const claims = {
      ...principal,
      iss: 'gateway',
      aud: audience,
      exp: Math.floor(nowMs / 1000) + LIFETIME_S,
    };
    const token = signEdDsa(claims, this.key);
    this.cache.set(id, { principal, token, reuseUntil: nowMs + REUSE_MS });
    return token;
  }
}

/** Services verify each principal; a verified token is cached until it expires. */
export class PrincipalVerifier {
  private readonly cache = new LRUCache<string, { principal: Principal; exp: number }>({ max: MAX_CACHED });

  constructor(
    private readonly keys: readonly KeyObject[],
    private readonly audience: ServiceName,
  ) {}

  /** @returns undefined for a token that is forged, expired or meant for another service */
  verify(token: string, nowMs: number = Date.now()): Principal | undefined {
    const known = this.cache.get(token);
    if (known) return known.exp * 1000 > nowMs ? known.principal : undefined;
    const claims = PrincipalClaims.safeParse(verifyEdDsa(token, this.keys));
    if (!claims.success || claims.data.aud !== this.audience || claims.data.exp * 1000 <= nowMs)
      return undefined;
    const { exp } = claims.data;
    const principal = Principal.parse(claims.data);
    this.cache.set(token, { principal, exp });
    return principal;
  }
}

const ServiceClaims = z.object({ iss: ServiceName, aud: ServiceName, exp: z.number().int() });

/** Tokens that authenticate one service of this installation to another; a verified one is cached until it expires. */
export class ServiceTokens {
  private readonly cache = new Map<ServiceName, { token: string; reuseUntil: number }>();
  private readonly verified = new LRUCache<string, z.infer<typeof ServiceClaims>>({ max: MAX_CACHED });

  constructor(
    private readonly keys: readonly Buffer[],
    private readonly self: ServiceName,
  ) {}

  make(audience: ServiceName, nowMs: number = Date.now()): string {
    const known = this.cache.get(audience);
    if (known && known.reuseUntil > nowMs) return known.token;
    const key = this.keys[0];
    if (!key) throw new Error('POSTMESH_SECRET_KEYS is empty');
    const token = signHs256(
      { iss: this.self, aud: audience, exp: Math.floor(nowMs / 1000) + LIFETIME_S },
      key,
    );
    this.cache.set(audience, { token, reuseUntil: nowMs + REUSE_MS });
    return token;
  }

  /** @returns the calling service; undefined for a token that is forged, expired or meant for another service */
  verify(token: string, nowMs: number = Date.now()): ServiceName | undefined {
    const known = this.verified.get(token);
    if (known) return known.exp * 1000 > nowMs ? known.iss : undefined;
    const claims = ServiceClaims.safeParse(verifyHs256(token, this.keys));
    if (!claims.success || claims.data.aud !== this.self || claims.data.exp * 1000 <= nowMs) return undefined;
    this.verified.set(token, claims.data);
    return claims.data.iss;
  }
}
