import { z } from 'zod';
import { ServiceName } from '@postmesh/contracts';
import { signHs256, verifyHs256 } from './compact-jws.js';

const LIFETIME_S = 30;
const REUSE_MS = 5_000;

const Claims = z.object({ iss: ServiceName, aud: ServiceName, exp: z.number().int() });

/** Says to one service that another service of this installation is calling. */
export class ServiceTokens {
  private readonly cache = new Map<ServiceName, { token: string; reuseUntil: number }>();

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
    const claims = Claims.safeParse(verifyHs256(token, this.keys));
    if (!claims.success || claims.data.aud !== this.self || claims.data.exp * 1000 <= nowMs) return undefined;
    return claims.data.iss;
  }
}
