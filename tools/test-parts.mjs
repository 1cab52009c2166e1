// @ts-check
// Real parts of tests: servers that are started for a run, and foreign programs that tests start themselves.

/** @typedef {import('./test-tiers.mjs').Part} Part */
/** @typedef {{ env: Record<string, string>, stop: () => Promise<void> }} Started */

/** @type {Record<Part, { setting: string, start: () => Promise<Started> }>} by name: the setting that says where it is */
export const PARTS = {
  kafka: { setting: 'KAFKA_BROKERS', start: async () => (await import('./real/kafka.mjs')).startKafka({}) },
  redis: { setting: 'REDIS_URL', start: async () => (await import('./real/redis.mjs')).startRedis({}) },
  s3: { setting: 'POSTMESH_S3_ENDPOINT', start: async () => (await import('./real/s3.mjs')).startS3({}) },
  knot: { setting: 'KNOTD', start: async () => (await import('./real/knot.mjs')).findKnot() },
  opendkim: { setting: 'OPENDKIM', start: async () => (await import('./real/opendkim.mjs')).findOpenDkim() },
  postfix: { setting: 'POSTFIX', start: async () => (await import('./real/postfix.mjs')).findPostfix() },
  swaks: { setting: 'SWAKS', start: async () => (await import('./real/swaks.mjs')).findSwaks() },
  haproxy: { setting: 'HAPROXY', start: async () => (await import('./real/proxies.mjs')).findHaproxy() },
  microsocks: {
    setting: 'MICROSOCKS',
    start: async () => (await import('./real/proxies.mjs')).findMicrosocks(),
  },
  prometheus: {
    setting: 'PROMETHEUS',
    start: async () => (await import('./real/prometheus.mjs')).findPrometheus(),
  },
  'sdk-python': {
    setting: 'SDK_PYTHON',
    start: async () => (await import('./sdks.mjs')).startPython(),
  },
  'sdk-go': {
    setting: 'SDK_GO',
    start: async () => {
      const { goProgram } = await import('./helm-check/go.mjs');
      return { env: { SDK_GO: goProgram() }, stop: async () => undefined };
    },
  },
  languages: {
    setting: 'LANGUAGES',
    start: async () => (await import('./real/languages.mjs')).findLanguages(),
  },
  caddy: { setting: 'CADDY', start: async () => (await import('./real/caddy.mjs')).findCaddy() },
  chromium: { setting: 'CHROMIUM', start: async () => (await import('./real/chromium.mjs')).findChromium() },
};

/**
 * Starts or finds them, one after the other. A part that its setting names already is used as it is.
 * @param {readonly Part[]} names
 * @returns {Promise<Started>} @throws Error that names the missing part
 */
export async function startParts(names) {
  /** @type {Started[]} */
  const started = [];
  const stop = async () => {
    for (const part of started.toReversed()) await part.stop().catch((error) => console.error(error));
  };
  try {
    for (const name of names) if (!process.env[PARTS[name].setting]) started.push(await PARTS[name].start());
  } catch (error) {
    await stop();
    throw error;
  }
  return { env: Object.assign({}, ...started.map(({ env }) => env)), stop };
}
