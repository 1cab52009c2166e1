import { SERVICES } from '@postmesh/contracts';
import { DOMAIN_CONNECT } from './catalogue.domain-connect.js';
import { KAFKA } from './catalogue.kafka.js';
import { LIMITS } from './catalogue.limits.js';
import { OIDC, OPERATOR_OIDC } from './catalogue.oidc.js';
import { S3 } from './catalogue.s3.js';
import { SMTP } from './catalogue.smtp.js';
import { egressRelays, egressSources, socksLogins } from './egress.js';
import { operatorTokens } from './operator-tokens.js';
import { DATABASE_URLS, SERVICE_URLS } from './service-settings.js';
import { choice, email, flag, integer, list, names, ports, text, url, zones } from './setting.js';
import { dnsServer, tsigKey } from './zone-update.js';

const POSTGRES = ['postgres:', 'postgresql:'] as const;
const HTTP = ['http:', 'https:'] as const;
const none = undefined as string | undefined;

/** APIs of other services that the gateway can speak. */
export const DIALECTS = ['resend', 'postmark', 'sendgrid', 'mailgun', 'ses'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Every setting of Postmesh. docs/settings.md is generated from this table. */
export const CATALOGUE = {
  // Storage
  dataDir: text({
    env: 'POSTMESH_DATA_DIR',
    description: 'Embedded PostgreSQL, credentials and TLS material for local use.',
    default: './.data' as string,
  }),
  databaseUrl: url({
    env: 'DATABASE_URL',
    description: 'PostgreSQL for every service that has none of its own.',
    default: none,
    defaultText: 'embedded PostgreSQL',
    protocols: POSTGRES,
    secret: true,
  }),
  ...DATABASE_URLS,
  databasePoolSize: integer({
    env: 'POSTMESH_DATABASE_POOL_SIZE',
    description: 'Connections per service process to its database.',
    default: 8,
    min: 2,
    max: 100,
  }),
  blobStore: choice({
    env: 'POSTMESH_BLOB_STORE',
    description: 'Where the content of messages is kept.',
    default: 'postgres',
    of: ['postgres', 'filesystem', 's3'],
  }),
  blobDir: text({
    env: 'POSTMESH_BLOB_DIR',
    description: 'Folder of the filesystem blob store; all services must see it.',
    default: none,
    defaultText: '`blobs` in the data directory',
  }),
  ...S3,

  // Bus and jobs
  ...KAFKA,
  redisUrl: url({
    env: 'REDIS_URL',
    description: 'Redis for jobs and shared rate limits.',
    default: none,
    defaultText: 'jobs on PostgreSQL',
    protocols: ['redis:', 'rediss:'],
    secret: true,
  }),

  // Listeners
  httpPort: integer({
    env: 'POSTMESH_HTTP_PORT',
    description: 'The API and the public links.',
    default: 8080,
    min: 0,
    max: 65_535,
  }),
  httpHost: text({
    env: 'POSTMESH_HTTP_HOST',
    description: 'Address on which the API listens.',
    default: '127.0.0.1' as string,
    defaultText: '`127.0.0.1`',
  }),
  submissionPorts: ports({
    env: 'POSTMESH_SUBMISSION_PORTS',
    description: 'SMTP submission.',
    default: [2525],
    defaultText: '`2525` locally; `25,587,2525` in production',
  }),
  submissionHost: text({
    env: 'POSTMESH_SUBMISSION_HOST',
    description:
      'Host that the console names for SMTP submission: where a load balancer or a DNS name leads to it.',
    default: none,
    defaultText: 'the host of `POSTMESH_BASE_URL`',
  }),
  submissionPublicPorts: ports({
    env: 'POSTMESH_SUBMISSION_PUBLIC_PORTS',
    description: 'Ports that the console names for SMTP submission, where a load balancer has others.',
    default: [],
    defaultText: 'those of `POSTMESH_SUBMISSION_PORTS`',
  }),
  mxPort: integer({
    env: 'POSTMESH_MX_PORT',
    description: 'Inbound SMTP.',
    default: 2526,
    defaultText: '`2526` locally, `25` in production',
    min: 0,
    max: 65_535,
  }),
  smtpHost: text({
    env: 'POSTMESH_SMTP_HOST',
    description: 'Address on which the SMTP listeners listen.',
    default: '127.0.0.1' as string,
  }),
  smtpTlsCertFile: text({
    env: 'POSTMESH_SMTP_TLS_CERT_FILE',
    description: 'Certificate chain (PEM) of the SMTP listeners.',
    default: none,
    defaultText: 'a self-signed certificate, kept in the data directory',
  }),
  smtpTlsKeyFile: text({
    env: 'POSTMESH_SMTP_TLS_KEY_FILE',
    description: 'Private key (PEM) of that certificate.',
    default: none,
    defaultText: 'made with the certificate',
  }),
  operatorPort: integer({
    env: 'POSTMESH_OPERATOR_PORT',
    description: 'Operator interface, health and metrics.',
    default: 8081,
    min: 0,
    max: 65_535,
  }),
  operatorHost: text({
    env: 'POSTMESH_OPERATOR_HOST',
    description: 'Address on which the operator interface listens.',
    default: '127.0.0.1' as string,
  }),
  operatorToken: text({
    env: 'POSTMESH_OPERATOR_TOKEN',
    description: 'Bearer token of the operator interface.',
    default: none,
    defaultText: 'made at first start',
    secret: true,
  }),
  operatorTokens: operatorTokens({
    env: 'POSTMESH_OPERATOR_TOKENS',
    description:
      'Further operators, `name:token` each (token: 16 characters and more): the audit says which of them did what. The name of `POSTMESH_OPERATOR_TOKEN` is `operator`.',
    default: [],
    secret: true,
  }),
  mailboxPort: integer({
    env: 'POSTMESH_MAILBOX_PORT',
    description: 'local-internet: web mailbox and its control API.',
    default: 8025,
    min: 0,
    max: 65_535,
  }),
  servicePort: integer({
    env: 'POSTMESH_SERVICE_PORT',
    description:
      'Internal HTTP of a service that runs as a process of its own: calls from other services, health, metrics.',
    default: 8090,
    min: 0,
    max: 65_535,
  }),
  serviceHost: text({
    env: 'POSTMESH_SERVICE_HOST',
    description: 'Address of the internal HTTP.',
    default: '127.0.0.1' as string,
  }),
  ...SERVICE_URLS,
  roles: names({
    env: 'POSTMESH_ROLES',
    description:
      'all-in-one: the services of this process, where several processes on one data directory are one installation. The one with `accounts` has PostgreSQL, local-internet and `credentials.json`, and gives the others its address (docs/operations.md, "Processes and roles").',
    default: [],
    defaultText: 'all, and no other process',
    of: SERVICES,
  }),
  dialects: names({
    env: 'POSTMESH_DIALECTS',
    description:
      'APIs of other services that the gateway speaks in addition to its own: their clients send here when their base URL is changed (docs/dialects.md).',
    default: [],
    defaultText: 'none',
    of: DIALECTS,
  }),
  reusePort: flag({
    env: 'POSTMESH_REUSE_PORT',
    description:
      'Other processes of this user on this machine may listen on the ports of the gateway, too, and with POSTMESH_ROLES on POSTMESH_SERVICE_PORT: the system divides connections among them (SO_REUSEPORT; Linux and FreeBSD have it, macOS and Windows do not). Each of them needs it.',
    default: false,
  }),
  drainSeconds: integer({
    env: 'POSTMESH_DRAIN_SECONDS',
    description:
      'How long a process still accepts requests after SIGTERM while its readiness check fails, so that load balancers remove it first. 5 on Kubernetes.',
    default: 0,
    min: 0,
    max: 300,
  }),
  terminationGraceSeconds: integer({
    env: 'POSTMESH_TERMINATION_GRACE_SECONDS',
    description:
      'The time that a supervisor gives such a process between SIGTERM and SIGKILL (`terminationGracePeriodSeconds`, `stop_grace_period`): the process ends a second earlier, whatever is under way. Almost half of it, without the drain, is for messages that are with a server.',
    default: 30,
    min: 10,
    max: 3_600,
  }),

  // The internet
  localInternet: flag({
    env: 'POSTMESH_LOCAL_INTERNET',
    description: '`off` = real DNS and MX.',
    default: true,
    defaultText: '`on` in all-in-one',
  }),
  dnsServers: list({
    env: 'POSTMESH_DNS_SERVERS',
    description: 'Resolvers for every look-up that the service makes, `ip:port`.',
    default: [],
    defaultText: 'system resolver',
  }),
  remoteSmtpPort: integer({
    env: 'POSTMESH_REMOTE_SMTP_PORT',
    description: 'Port of MX hosts.',
    default: 25,
    min: 1,
    max: 65_535,
  }),
  allowPrivateMx: flag({
    env: 'POSTMESH_ALLOW_PRIVATE_MX',
    description:
      'Deliver to mail hosts in private networks, on loopback and on this machine. When off, a domain that has only such hosts bounces, so that its owner cannot choose targets inside our network.',
    default: false,
    defaultText: '`on` while local-internet is on, else `off`',
  }),
  egressRelays: egressRelays({
    env: 'POSTMESH_EGRESS_RELAY',
    description:
      'Smarthosts for machines that may not use port 25, in the order in which they are asked: `smtp://user:password@host:port`, `smtps://` for TLS from the first byte. A password is only sent to one whose certificate is valid for its name. One that needs no password begins with `smtps://`, or ends with `?tls=optional` where mail may go to it in clear text.',
    default: [],
    defaultText: 'none: straight to the hosts of each destination',
    secret: true,
  }),
  egressSources: egressSources({
    env: 'POSTMESH_EGRESS_SOURCES',
    description:
      'Addresses of this machine from which messages leave, each with the name of its greeting: `[{"id": "a", "address": "192.0.2.10", "ehlo": "mta-a.example.com"}]`. A sending domain keeps to one of them per provider; IPv6 is used from IPv6 sources only. An address of a proxy has `via`, `{"socks5": "host:port"}` or `{"proxy": "host:port"}` (PROXY protocol, version 2): connections to it then go through that proxy. Not used with a relay.',
    default: [],
    defaultText: 'one: the address that the system chooses, with `POSTMESH_EHLO_NAME`',
  }),
  egressSocksLogins: socksLogins({
    env: 'POSTMESH_EGRESS_SOCKS_LOGINS',
    description:
      'Logins of the SOCKS5 proxies of `POSTMESH_EGRESS_SOURCES`, separated by commas: `socks5://user:password@host:port`.',
    default: [],
    defaultText: 'none: they let delivery workers in by their address',
    secret: true,
  }),
  egressCheckHost: text({
    env: 'POSTMESH_EGRESS_CHECK_HOST',
    description:
      'A mail host, `host` or `host:port`, to which `npx postmesh doctor` connects from each source to see whether port 25 is open; `off` = no connection is made.',
    default: 'gmail-smtp-in.l.google.com' as string,
  }),
  addressLists: zones({
    env: 'POSTMESH_ADDRESS_LISTS',
    description:
      'Block lists (DNSBL) in which the doctor of a domain looks the sending addresses up; `off` = none. Some refuse queries of public resolvers, and some want a registration.',
    default: ['zen.spamhaus.org', 'bl.spamcop.net', 'b.barracudacentral.org', 'psbl.surriel.com'],
  }),
  domainLists: zones({
    env: 'POSTMESH_DOMAIN_LISTS',
    description: 'Block lists in which the doctor of a domain looks its name up; `off` = none.',
    default: ['dbl.spamhaus.org', 'multi.surbl.org', 'multi.uribl.com'],
  }),
  gmailPostmasterApi: url({
    env: 'POSTMESH_GMAIL_POSTMASTER_API',
    description:
      'Address of Gmail Postmaster Tools in place of the public ones, for tokens and figures: a proxy of your own.',
    default: none,
    defaultText: 'the public ones of Google',
    protocols: ['https:'],
  }),
  sndsApi: url({
    env: 'POSTMESH_SNDS_API',
    description: 'Address of Microsoft SNDS in place of the public one: a proxy of your own.',
    default: none,
    defaultText: 'the public one of Microsoft',
    protocols: ['https:'],
  }),
  extraCaFile: text({
    env: 'POSTMESH_EXTRA_CA_FILE',
    description:
      'Certificates (PEM) of CAs that are trusted besides the well-known ones: for mail hosts under MTA-STS, for the servers of policies and of logos (BIMI), for the relay, and for DNS hosts with Domain Connect.',
    default: none,
  }),
  validatingResolvers: list({
    env: 'POSTMESH_VALIDATING_RESOLVERS',
    description:
      'Resolvers that validate DNSSEC and are reached over a path that no one else can write to, `ip` or `ip:port`: by their word DANE is used. `off` = it is not.',
    default: [],
    defaultText: 'the resolvers in use that are on loopback',
  }),
  mtaStsPort: integer({
    env: 'POSTMESH_MTA_STS_PORT',
    description: 'Port from which MTA-STS policies are fetched.',
    default: 443,
    min: 1,
    max: 65_535,
  }),
  tlsReports: flag({
    env: 'POSTMESH_TLS_REPORTS',
    description:
      'Whether receiving domains that publish `_smtp._tls` get a daily report about the TLS of our sessions with them (RFC 8460), from `POSTMESH_SYSTEM_SENDER`.',
    default: false,
  }),
  outgoingHttpAllow: list({
    env: 'POSTMESH_OUTGOING_HTTP_ALLOW',
    description:
      'Private networks (CIDR list) that webhooks and routes may call, and in which policies of MTA-STS and logos (BIMI) may be fetched, and the OpenID Connect provider and DNS hosts with Domain Connect or with tokens may be.',
    default: [],
    defaultText: 'loopback while local-internet is on, else none',
  }),
  trustedProxies: list({
    env: 'POSTMESH_TRUSTED_PROXIES',
    description: 'Networks (CIDR list) whose `X-Forwarded-For` is believed.',
    default: [],
  }),
  baseUrl: url({
    env: 'POSTMESH_BASE_URL',
    description: 'For links and documentation.',
    default: none,
    defaultText: '`http://localhost:<POSTMESH_HTTP_PORT>`',
    protocols: HTTP,
  }),
  console: flag({
    env: 'POSTMESH_CONSOLE',
    description:
      'Whether the gateway serves the console, its pages and its sign-in, below `/console/`. Invitations have a link to it.',
    default: true,
  }),
  ...OIDC,
  ...OPERATOR_OIDC,
  linkHosts: choice({
    env: 'POSTMESH_LINK_HOSTS',
    description:
      'Where the links in messages lead (opens, clicks, unsubscribing, web copies): `domains` = to the verified tracking and subscription hosts of the sending domain; `service` = always to `POSTMESH_BASE_URL`.',
    default: 'domains',
    defaultText: '`service` while local-internet is on, whose hosts no browser finds; else `domains`',
    of: ['domains', 'service'],
  }),

  systemSender: text({
    env: 'POSTMESH_SYSTEM_SENDER',
    description:
      'Sender of the mail that Postmesh itself sends (invitations, notices): `Name <address>` or an address. Its domain is signed like any sending domain.',
    default: none,
    defaultText: '`Postmesh <no-reply@POSTMESH_SERVICE_ZONE>`',
  }),

  // Secrets
  secretKeys: list({
    env: 'POSTMESH_SECRET_KEYS',
    description:
      'Keys for encryption at rest, peppers and token signing, at least 32 characters each. The first is used for what is new, all are accepted. Append a new one on every process before it is put first; `npx postmesh secrets-rotate` says when an old one can go.',
    default: [],
    defaultText: 'made at first start locally; required in production',
    secret: true,
  }),
  principalPrivateKey: text({
    env: 'POSTMESH_PRINCIPAL_PRIVATE_KEY',
    description:
      'Ed25519 key (PKCS#8, base64) with which the gateway signs principals. Only the gateway needs it.',
    default: none,
    defaultText: 'derived from the first of `POSTMESH_SECRET_KEYS`',
    secret: true,
  }),
  principalPublicKeys: list({
    env: 'POSTMESH_PRINCIPAL_PUBLIC_KEYS',
    description:
      'Ed25519 public keys (SPKI, base64) whose principals the services accept; two during a rotation.',
    default: [],
    defaultText: 'derived from `POSTMESH_SECRET_KEYS`',
  }),

  // Naming
  keyPrefix: text({
    env: 'POSTMESH_KEY_PREFIX',
    description: 'Prefix of keys and secrets: `<prefix>-sk-…`.',
    default: 'pm' as string,
  }),
  controlHeaderPrefixes: list({
    env: 'POSTMESH_CONTROL_HEADER_PREFIX',
    description:
      'Prefixes of the control headers, `<prefix>-sandbox`; further ones for applications that keep the headers of the service they came from.',
    default: ['postmesh'],
  }),
  serviceZone: text({
    env: 'POSTMESH_SERVICE_ZONE',
    description: 'The DNS zone under which the service runs: `spf.<zone>`, `rp.<zone>`, `mx.<zone>`.',
    default: 'postmesh.test' as string,
  }),
  feedbackLoopAddress: email({
    env: 'POSTMESH_FEEDBACK_LOOP_ADDRESS',
    description:
      'The fixed address that you register for the feedback loops of mailbox providers (Yahoo, Microsoft JMRP, Comcast, Validity). Its host needs an MX record that leads to `POSTMESH_MX_PORT`, as `rp.<zone>` has.',
    default: none,
    defaultText: '`fbl@rp.<POSTMESH_SERVICE_ZONE>`',
  }),
  zoneUpdateServer: dnsServer({
    env: 'POSTMESH_ZONE_UPDATE_SERVER',
    description:
      'Primary name server that takes dynamic updates (RFC 2136, over TCP) of the DKIM aliases of managed domains.',
    default: undefined,
    defaultText: 'none: an operator publishes what `/operator/zone` lists',
  }),
  zoneUpdateZone: text({
    env: 'POSTMESH_ZONE_UPDATE_ZONE',
    description: 'The zone on that server which holds `dkim.<POSTMESH_SERVICE_ZONE>`.',
    default: none,
    defaultText: '`POSTMESH_SERVICE_ZONE`',
  }),
  zoneUpdateKey: tsigKey({
    env: 'POSTMESH_ZONE_UPDATE_KEY',
    description:
      'The TSIG key that signs the updates (RFC 8945); `hmac-sha256`, `hmac-sha384` or `hmac-sha512`, the secret in base64.',
    default: undefined,
    secret: true,
  }),
  ...DOMAIN_CONNECT,
  ehloName: text({
    env: 'POSTMESH_EHLO_NAME',
    description: 'The name with which the delivery worker greets remote servers.',
    default: none,
    defaultText: '`mta.<POSTMESH_SERVICE_ZONE>`',
  }),
  sendingAddresses: list({
    env: 'POSTMESH_SENDING_ADDRESSES',
    description: 'IP addresses from which messages leave; published in the SPF record of the service zone.',
    default: ['127.0.0.1', '::1'],
  }),

  ...LIMITS,
  ...SMTP,
} as const;
