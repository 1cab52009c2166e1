// Values with which the chart is rendered, and values that it must refuse.
import { INNER_SERVICES, SERVICES } from '../../libs/contracts/dist/index.js';

const BASE = {
  baseUrl: 'https://mail.example.com',
  serviceZone: 'mail.example.com',
  sendingAddresses: ['192.0.2.10', '2001:db8::10'],
  postgres: { url: { secret: 'postmesh-postgres', key: 'url' } },
  kafka: { brokers: ['kafka-0:9092', 'kafka-1:9092'] },
  redis: { url: { secret: 'postmesh-redis', key: 'url' } },
};
const secret = (key) => ({ secret: 'postmesh-more', key });
/** A database of its own for each service that needs one. */
const DATABASES = Object.fromEntries(INNER_SERVICES.map((service) => [service, secret(service)]));
const scaled = (by) => ({
  gateway: { autoscaling: { by: 'none' } },
  'delivery-worker': { autoscaling: { by } },
  'webhook-dispatcher': { autoscaling: { by } },
});
const POOL = {
  name: 'a',
  replicas: 2,
  hostNetwork: true,
  servicePort: 18_090,
  sources: [
    { id: 'a1', address: '192.0.2.11', ehlo: 'mta-a1.example.com' },
    { id: 'a2', address: '192.0.2.12', ehlo: 'mta-a2.example.com' },
  ],
  nodeSelector: { 'postmesh/pool': 'a' },
  tolerations: [{ key: 'mail', operator: 'Exists' }],
};
/** Its sources are addresses of a proxy. */
const proxied = (via, more = {}) => ({ name: 'p', replicas: 2, sources: POOL.sources, via, ...more });
const GATEWAY = { nodeSelector: { 'postmesh/egress': 'a' }, address: '192.0.2.13' };
const MONITORS = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];

/** @param {...object} changes laid over each other; lists, and what is to be empty, are replaced @returns {any} */
const over = (...changes) =>
  changes.reduce((made, change) => {
    const merged = { ...made };
    for (const [key, value] of Object.entries(change)) {
      const both = [merged[key], value].every(isFilled);
      merged[key] = both ? over(merged[key], value) : value;
    }
    return merged;
  }, {});

/** Uses of the files from other parts of the repository. */
export const NEEDS = { rules: 'files/alerts.yml', dashboard: 'files/dashboard.json' };

const isFilled = (value) =>
  value && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * @type {readonly {name: string, values: any, needs?: keyof typeof NEEDS, kinds?: Record<string, number>,
 *   images?: Record<string, number>}[]} `images`: how many containers have each
 */
export const GOOD = [
  {
    name: 'the least',
    values: BASE,
    kinds: { Deployment: SERVICES.length, StatefulSet: 0, HorizontalPodAutoscaler: 2, Job: 1 },
  },
  {
    name: 'demo',
    values: {
      ...over(BASE, { demo: { enabled: true } }),
      postgres: undefined,
      kafka: undefined,
      redis: undefined,
    },
    // with PostgreSQL, Kafka and Redis
    kinds: { Deployment: SERVICES.length + 3 },
  },
  {
    name: 'demo in an open network',
    values: over(BASE, { demo: { enabled: true }, networkPolicy: { enabled: false } }),
  },
  {
    name: 'a database per service, content in S3 by keys',
    values: over(BASE, {
      postgres: {
        url: {},
        perService: DATABASES,
      },
      content: {
        store: 's3',
        s3: {
          endpoint: 'https://s3.example.com',
          bucket: 'content',
          pathStyle: false,
          accessKey: secret('id'),
          secretKey: secret('key'),
        },
      },
      networkPolicy: {
        s3: { port: 9000, to: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.1/32'] } }] },
      },
    }),
  },
  {
    name: 'one database and one of its own, content in S3 by the role of a cloud',
    values: over(BASE, {
      postgres: { perService: { messages: secret('messages') } },
      content: { store: 's3', s3: { bucket: 'content', region: 'eu-central-1' } },
      serviceAccount: {
        annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/postmesh' },
      },
    }),
  },
  {
    name: 'managed Kafka with TLS, a login and a CA of its own',
    values: over(BASE, {
      kafka: {
        tls: true,
        ownCa: true,
        sasl: { mechanism: 'scram-sha-512', username: secret('user'), password: secret('password') },
      },
      ca: { configMap: 'our-cas', key: 'root.pem' },
      networkPolicy: { kafka: { port: 9096 } },
    }),
  },
  {
    name: 'scaled by external metrics',
    values: over(BASE, { services: scaled('external') }),
    kinds: { HorizontalPodAutoscaler: 3 },
  },
  {
    name: 'scaled by KEDA',
    values: over(BASE, {
      services: scaled('keda'),
      keda: { prometheus: 'http://prometheus.monitoring:9090' },
    }),
    kinds: { ScaledObject: 2, HorizontalPodAutoscaler: 1 },
  },
  {
    name: 'pools of source addresses on the network of their nodes',
    values: over(BASE, {
      egress: { pools: [POOL, { ...POOL, name: 'b', servicePort: 18_091, sources: POOL.sources.slice(1) }] },
      networkPolicy: { nodeNetworks: ['10.0.0.0/16'] },
      services: { 'delivery-worker': { autoscaling: { by: 'cpu', cpuPercent: 80 } } },
    }),
    kinds: { Deployment: SERVICES.length - 1, StatefulSet: 2, HorizontalPodAutoscaler: 2 },
  },
  {
    name: 'a pool behind the address translation of its nodes',
    values: over(BASE, { egress: { pools: [{ name: 'nat', ehloName: 'mta-nat.example.com' }] } }),
    kinds: { Deployment: SERVICES.length - 1, StatefulSet: 1 },
  },
  {
    name: 'pools behind a SOCKS5 proxy, HAProxy and an egress gateway',
    values: over(BASE, {
      egress: {
        pools: [
          proxied({ socks5: 'socks.mail.svc:1080', networks: ['10.244.0.0/16'] }),
          proxied({ proxy: '[fd00::9]:2500', networks: ['fd00::/64', '100.64.3.0/24'] }, { name: 'h' }),
          { name: 'g', ehloName: 'mta-g.example.com', egressGateway: GATEWAY },
        ],
      },
    }),
    kinds: { Deployment: SERVICES.length - 1, StatefulSet: 3, CiliumEgressGatewayPolicy: 1 },
  },
  {
    name: 'a SOCKS5 proxy outside, with a login',
    values: over(BASE, {
      secrets: { POSTMESH_EGRESS_SOCKS_LOGINS: secret('socks') },
      egress: { pools: [proxied({ socks5: '203.0.113.7:1080', networks: ['203.0.113.7/32'] })] },
    }),
    kinds: { StatefulSet: 1 },
  },
  {
    name: 'SMTP behind a load balancer with the PROXY protocol, and certificates',
    values: over(BASE, {
      smtp: {
        annotations: { 'service.beta.kubernetes.io/do-loadbalancer-enable-proxy-protocol': 'true' },
        loadBalancerClass: 'example.com/lb',
        sourceRanges: ['198.51.100.0/24'],
        proxyNetworks: ['10.244.0.0/16', 'fd00::/8'],
        tlsSecret: 'smtp-tls',
      },
      ingress: {
        className: 'nginx',
        hosts: ['mail.example.com', 'links.example.com'],
        tlsSecret: 'api-tls',
        customerLinks: true,
      },
      trustedProxies: ['10.244.0.0/16'],
    }),
  },
  {
    name: 'nothing that can be left out',
    values: over(BASE, {
      ingress: { enabled: false },
      smtp: { enabled: false },
      networkPolicy: { enabled: false },
      migrations: { enabled: false },
      podDisruptionBudget: { enabled: false },
      topologySpread: { enabled: false },
    }),
    kinds: { Ingress: 0, NetworkPolicy: 0, Job: 0, PodDisruptionBudget: 0 },
  },
  {
    name: 'everything that a pod may have',
    values: over(BASE, {
      image: {
        repository: 'registry.example.com/postmesh',
        digest: `sha256:${'a'.repeat(64)}`,
        pullPolicy: 'Always',
        pullSecrets: ['registry'],
      },
      settings: {
        POSTMESH_RETENTION_DATA_DAYS: '30',
        POSTMESH_EHLO_NAME: 'mta.example.com',
        POSTMESH_OIDC_ISSUER: 'https://id.example.com',
        POSTMESH_OIDC_CLIENT_ID: 'postmesh',
        POSTMESH_OIDC_DOMAINS: 'example.com',
        POSTMESH_TLS_REPORTS: 'on',
        POSTMESH_OPERATOR_OIDC_ISSUER: 'https://id.example.com',
        POSTMESH_OPERATOR_OIDC_CLIENT_ID: 'postmesh-operators',
        POSTMESH_OPERATOR_OIDC_GROUPS: '["mail-operators"]',
      },
      secrets: {
        POSTMESH_OPERATOR_TOKENS: secret('tokens'),
        POSTMESH_PRINCIPAL_PRIVATE_KEY: secret('principal'),
        POSTMESH_ZONE_UPDATE_KEY: secret('tsig'),
        POSTMESH_EGRESS_RELAY: secret('relay'),
        POSTMESH_OIDC_CLIENT_SECRET: secret('oidc'),
        POSTMESH_OPERATOR_OIDC_CLIENT_SECRET: secret('operator-oidc'),
      },
      services: {
        messages: {
          settings: { POSTMESH_DATABASE_POOL_SIZE: '20', POSTMESH_RETENTION_DATA_DAYS: '14' },
          nodeSelector: { pool: 'general' },
          tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
          affinity: { podAntiAffinity: {} },
          podAnnotations: { 'example.com/note': 'yes' },
        },
      },
      podLabels: { team: 'mail' },
      smtp: { type: 'NodePort' },
      networkPolicy: {
        httpFrom: MONITORS,
        metricsFrom: MONITORS,
        operatorFrom: MONITORS,
        mailPorts: [25, 587],
        extraEgress: {
          marketing: [{ to: [{ ipBlock: { cidr: '203.0.113.0/24' } }], ports: [{ port: 443 }] }],
        },
      },
      monitoring: { serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } } },
    }),
    kinds: { ServiceMonitor: 1 },
  },
  {
    name: 'images of services',
    values: over(BASE, {
      image: { repository: 'registry.example.com/postmesh', tag: '1.2.3' },
      services: {
        messages: { image: { repository: 'registry.example.com/postmesh-messages', tag: '1.2.4' } },
        webhooks: {
          image: { repository: 'registry.example.com/postmesh-webhooks', digest: `sha256:${'b'.repeat(64)}` },
        },
      },
    }),
    images: {
      // all other services, and the job of the migrations
      'registry.example.com/postmesh:1.2.3': SERVICES.length - 2 + 1,
      'registry.example.com/postmesh-messages:1.2.4': 1,
      [`registry.example.com/postmesh-webhooks@sha256:${'b'.repeat(64)}`]: 1,
    },
  },
  {
    name: 'alert rules',
    needs: 'rules',
    values: over(BASE, { monitoring: { rules: { enabled: true } } }),
    kinds: { PrometheusRule: 1 },
  },
  {
    name: 'board',
    needs: 'dashboard',
    values: over(BASE, { monitoring: { dashboard: { enabled: true } } }),
    kinds: { ConfigMap: 1 },
  },
];

const bad = (name, change, error) => ({ name, values: over(BASE, change), error });

/** @type {readonly {name: string, values: any, error: RegExp}[]} `error`: pattern of the error */
export const BAD = [
  bad('an image without a name', { services: { messages: { image: { tag: '1.2.3' } } } }, /repository/),
  bad("nothing of one's own", { baseUrl: '' }, /baseUrl is required: the public URL of the API/),
  bad('no zone', { serviceZone: '' }, /serviceZone is required/),
  bad('no addresses', { sendingAddresses: [] }, /sendingAddresses is required/),
  bad(
    'no secret keys',
    { secrets: { POSTMESH_SECRET_KEYS: null } },
    /secrets\.POSTMESH_SECRET_KEYS is required/,
  ),
  bad('no Redis', { redis: { url: {} } }, /redis\.url is required/),
  bad('no brokers', { kafka: { brokers: [] } }, /kafka\.brokers is required/),
  bad(
    'no database',
    { postgres: { url: {} } },
    /postgres\.url is required, or postgres\.perService\.accounts/,
  ),
  bad(
    'content in a database that is not there',
    {
      postgres: {
        url: {},
        perService: DATABASES,
      },
    },
    /content\.store postgres needs postgres\.url/,
  ),
  bad('a misspelt value', { basURL: 'x' }, /additional properties 'basURL' not allowed/),
  bad('a misspelt service', { services: { gatway: {} } }, /at '\/services'.*'gatway' not allowed/s),
  bad(
    'a misspelt value of a service',
    { services: { gateway: { replica: 3 } } },
    /\/services\/gateway.*'replica'/s,
  ),
  bad(
    'a misspelt setting',
    { settings: { POSTMESH_RETENSION_DATA_DAYS: '7' } },
    /invalid propertyName 'POSTMESH_RETENSION_DATA_DAYS'/,
  ),
  bad(
    'a secret in plain text',
    { settings: { POSTMESH_SECRET_KEYS: 'x'.repeat(32) } },
    /invalid propertyName 'POSTMESH_SECRET_KEYS'/,
  ),
  bad(
    'a URL in plain text',
    { settings: { DATABASE_URL: 'postgres://a:b@c/d' } },
    /invalid propertyName 'DATABASE_URL'/,
  ),
  bad(
    'a setting of the chart',
    { settings: { POSTMESH_HTTP_PORT: '80' } },
    /invalid propertyName 'POSTMESH_HTTP_PORT'/,
  ),
  bad(
    'a setting that is no text',
    { settings: { POSTMESH_RETENTION_DATA_DAYS: 7 } },
    /got number, want string/,
  ),
  bad(
    'a secret by value',
    { secrets: { POSTMESH_SECRET_KEYS: 'x'.repeat(32) } },
    /\/secrets.*got string, want object/s,
  ),
  bad(
    'a secret without a key',
    { kafka: { sasl: { username: { secret: 'a' } } } },
    /sasl\/username.*'key' required/s,
  ),
  bad(
    'a public setting as a secret',
    { secrets: { POSTMESH_BASE_URL: secret('x') } },
    /invalid propertyName 'POSTMESH_BASE_URL'/,
  ),
  bad('no URL', { baseUrl: 'mail.example.com' }, /\/baseUrl.*does not match pattern/s),
  bad(
    'a broker without a port',
    { kafka: { brokers: ['kafka'] } },
    /\/kafka\/brokers.*does not match pattern/s,
  ),
  bad(
    'a mechanism that is none',
    { kafka: { sasl: { mechanism: 'gssapi' } } },
    /value must be one of 'none', 'plain'/,
  ),
  bad(
    'a mechanism without a login',
    { kafka: { sasl: { mechanism: 'scram-sha-256' } } },
    /kafka\.sasl\.username and/,
  ),
  bad(
    'a password in the clear',
    { kafka: { sasl: { mechanism: 'plain', username: secret('u'), password: secret('p') } } },
    /plain needs kafka\.tls/,
  ),
  bad('a CA that is nowhere', { kafka: { tls: true, ownCa: true } }, /kafka\.ownCa needs ca\.configMap/),
  bad(
    'a CA without TLS',
    { kafka: { ownCa: true }, ca: { configMap: 'a' } },
    /kafka\.ownCa needs kafka\.tls/,
  ),
  bad('S3 without a bucket', { content: { store: 's3' } }, /content\.s3\.bucket is required/),
  bad(
    'half of an S3 key',
    { content: { store: 's3', s3: { bucket: 'b', accessKey: secret('id') } } },
    /accessKey and content\.s3\.secretKey belong together/,
  ),
  bad('content in files', { content: { store: 'filesystem' } }, /value must be one of 'postgres', 's3'/),
  bad('no replicas', { services: { accounts: { replicas: 0 } } }, /minimum: got 0, want 1/),
  bad(
    'an amount that is none',
    { services: { accounts: { resources: { requests: { cpu: 'much' } } } } },
    /does not match/,
  ),
  bad(
    'a scaler that is none',
    { services: { accounts: { autoscaling: { by: 'luck' } } } },
    /value must be one of 'none'/,
  ),
  bad(
    'a scaler without bounds',
    { services: { accounts: { autoscaling: { by: 'cpu' } } } },
    /missing properties 'minReplicas'/,
  ),
  bad('KEDA without Prometheus', { services: scaled('keda') }, /autoscaling\.by keda needs keda\.prometheus/),
  bad('time to stop that is too short', { terminationGracePeriodSeconds: 5 }, /minimum: got 5, want 15/),
  bad(
    'a network that is an address',
    { trustedProxies: ['10.0.0.1'] },
    /\/trustedProxies.*does not match pattern/s,
  ),
  bad('a pool without a name', { egress: { pools: [{ replicas: 1 }] } }, /missing property 'name'/),
  bad(
    'sources of a node that the pod does not have',
    { egress: { pools: [{ ...POOL, hostNetwork: false }] } },
    /sources need hostNetwork or via/,
  ),
  ...[
    ['a SOCKS5 proxy outside without a login', { socks5: '203.0.113.7:1080', networks: ['203.0.113.7/32'] }],
    ['HAProxy outside', { proxy: '203.0.113.7:2500', networks: ['10.0.0.0/8', '203.0.113.7/32'] }],
    ['a proxy anywhere', { proxy: 'haproxy:2500', networks: ['10.0.0.0/0'] }],
    ['a proxy anywhere over IPv6', { proxy: 'haproxy:2500', networks: ['fd00::/1'] }],
  ].map(([name, via]) =>
    bad(
      `an open relay: ${name}`,
      { egress: { pools: [proxied(via)] } },
      /which is not private, is an open relay/,
    ),
  ),
  bad(
    'an open relay: HAProxy outside, with the login of another proxy',
    {
      secrets: { POSTMESH_EGRESS_SOCKS_LOGINS: secret('socks') },
      egress: { pools: [proxied({ proxy: '203.0.113.7:2500', networks: ['203.0.113.7/32'] })] },
    },
    /is an open relay/,
  ),
  bad(
    'two kinds of proxy at once',
    { egress: { pools: [proxied({ socks5: 'a:1', proxy: 'a:1', networks: ['10.0.0.0/8'] })] } },
    /via.*'oneOf' failed/s,
  ),
  bad(
    'a proxy for addresses of the node',
    { egress: { pools: [proxied({ proxy: 'a:1', networks: ['10.0.0.0/8'] }, { hostNetwork: true })] } },
    /via and hostNetwork exclude each other/,
  ),
  bad(
    'a proxy without addresses',
    { egress: { pools: [{ name: 'p', via: { proxy: 'a:1', networks: ['10.0.0.0/8'] } }] } },
    /via needs sources/,
  ),
  bad(
    'an egress gateway on the network of a node',
    {
      egress: { pools: [{ ...POOL, egressGateway: GATEWAY }] },
      networkPolicy: { nodeNetworks: ['10.0.0.0/16'] },
    },
    /without hostNetwork and via/,
  ),
  bad(
    'a load balancer that every client could be',
    { smtp: { proxyNetworks: ['0.0.0.0/0'] } },
    /clients there could claim any address/,
  ),
  bad(
    'pools that no policy lets in',
    { egress: { pools: [POOL] } },
    /hostNetwork needs networkPolicy\.nodeNetworks/,
  ),
  bad('two pools of one name', { egress: { pools: [{ name: 'a' }, { name: 'a' }] } }, /each name once/),
];
