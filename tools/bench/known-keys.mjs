// What the gateway itself does to know a key, without a request around it: header, hash, cache, allow list.
import { round } from './figures.rules.mjs';

const KEYS = 1_000;
const TURNS = 200_000;
const SECRET = 'a-pepper-for-the-bench-that-is-long-enough';

/** @returns microseconds per request, on the processor of this process */
export async function measureKnownKeys() {
  const { cache, secrets } = await filledCache();
  const { bearerToken } = await import('../../services/gateway/dist/http-api/bearer-token.rules.js');
  const heads = secrets.map((secret) => ['Host', 'h', 'Authorization', `Bearer ${secret}`]);
  const turn = (count) => {
    for (let at = 0; at < count; at += 1) {
      const key = cache.find(bearerToken(heads[at % KEYS]));
      // a key that is looked up would be measured as something else
      if (key instanceof Promise || !key.allowList.covers('192.0.2.7'))
        throw new Error('a key was not known');
    }
  };
  turn(TURNS / 4);
  const began = process.cpuUsage();
  turn(TURNS);
  const { user, system } = process.cpuUsage(began);
  return round((user + system) / TURNS, 2);
}

async function filledCache() {
  const [{ KeyCache }, { Pepper }, { newId }] = await Promise.all([
    import('../../services/gateway/dist/api-keys/key-cache.js'),
    import('../../libs/secrets/dist/index.js'),
    import('../../libs/contracts/dist/index.js'),
  ]);
  const lookups = {
    ask: async () => ({ revision: 0, key: knownKey(newId) }),
    forgetUnderWay: () => undefined,
  };
  const cache = new KeyCache(new Pepper([SECRET]), lookups);
  const lease = { revision: 0, lease_ms: 600_000, reset: true, key_ids: [], account_ids: [] };
  cache.apply(lease, performance.now());
  const secrets = Array.from({ length: KEYS }, (_, at) => `pm-sk-${String(at).padStart(64, 'x')}`);
  for (const secret of secrets) await cache.find(secret);
  return { cache, secrets };
}

const knownKey = (newId) => ({
  principal: { account_id: newId(), key_id: newId(), scopes: ['*'], account: {} },
  ip_allow_list: ['192.0.2.0/24', '2001:db8::/32'],
  blocked: false,
  last_used_at: null,
  rate_limits: null,
});
