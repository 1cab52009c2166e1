import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { Principal, ServiceName } from '@postmesh/contracts';
import { signEdDsa, verifyEdDsa } from './compact-jws.js';

const LIFETIME_S = 30;
// A minted principal serves all requests of its key for this long: a signature costs more than the request.
const REUSE_MS = 5_000;
const CACHE_SIZE = 10_000;

const Claims = Principal.extend({
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
  private readonly cache = new Map<string, Minted>();

  constructor(private readonly key: KeyObject) {}

  /**
   * @param principal the same object for as long as the facts are the same: a new object is signed anew
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
    remember(this.cache, id, { principal, token, reuseUntil: nowMs + REUSE_MS });
    return token;
  }
}

/** Services verify each principal; a token that was verified once is known until it expires. */
export class PrincipalVerifier {
  private readonly cache = new Map<string, { principal: Principal; exp: number }>();

  constructor(
    private readonly keys: readonly KeyObject[],
    private readonly audience: ServiceName,
  ) {}

  /** @returns undefined for a token that is forged, expired or meant for another service */
  verify(token: string, nowMs: number = Date.now()): Principal | undefined {
    const known = this.cache.get(token);
    if (known) return known.exp * 1000 > nowMs ? known.principal : undefined;
    const claims = Claims.safeParse(verifyEdDsa(token, this.keys));
    if (!claims.success || claims.data.aud !== this.audience || claims.data.exp * 1000 <= nowMs)
      return undefined;
    const { exp } = claims.data;
    const principal = Principal.parse(claims.data);
    remember(this.cache, token, { principal, exp });
    return principal;
  }
}

function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, value);
}
