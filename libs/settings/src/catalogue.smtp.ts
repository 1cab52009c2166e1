import { integer, list } from './setting.js';

/** Limits of the SMTP listeners, each per gateway process. */
export const SMTP = {
  smtpProxies: list({
    env: 'POSTMESH_SMTP_PROXIES',
    description:
      'Networks (CIDR list) of load balancers that begin each SMTP connection with a PROXY protocol header, version 1 or 2: it names the client. The header is accepted only from these networks, and a connection from them without a header within five seconds is closed.',
    default: [],
  }),
  smtpConnections: integer({
    env: 'POSTMESH_SMTP_CONNECTIONS',
    description: 'SMTP sessions of clients at once in a process, of all ports together.',
    default: 1_000,
    min: 1,
    max: 100_000,
  }),
  smtpConnectionsPerAddress: integer({
    env: 'POSTMESH_SMTP_CONNECTIONS_PER_ADDRESS',
    description: 'SMTP sessions of one address at once; for IPv6 of one network (/64).',
    default: 50,
    min: 1,
    max: 100_000,
  }),
  smtpConnectionsPerCredential: integer({
    env: 'POSTMESH_SMTP_CONNECTIONS_PER_CREDENTIAL',
    description: 'SMTP sessions at once that are logged in with one SMTP credential.',
    default: 50,
    min: 1,
    max: 100_000,
  }),
  smtpLoginSeconds: integer({
    env: 'POSTMESH_SMTP_LOGIN_S',
    description:
      'How long a session may be idle before it has logged in or begun a transaction. In all, it may take three times as long until then.',
    default: 20,
    min: 1,
    max: 60,
  }),
  smtpLoginFailures: integer({
    env: 'POSTMESH_SMTP_LOGIN_FAILURES',
    description:
      'Failed SMTP logins of one address within ten minutes that block it for ten minutes. Each process counts alone.',
    default: 10,
    min: 1,
    max: 1_000_000,
  }),
  smtpIdleSeconds: integer({
    env: 'POSTMESH_SMTP_IDLE_S',
    description: 'How long a session may be idle after that.',
    default: 60,
    min: 1,
    max: 3_600,
  }),
  smtpMessagesPerSession: integer({
    env: 'POSTMESH_SMTP_MESSAGES_PER_SESSION',
    description: 'Messages in one SMTP session; then the client has to reconnect.',
    default: 10_000,
    min: 1,
    max: 10_000,
  }),
  inboundMessagesPerMinute: integer({
    env: 'POSTMESH_INBOUND_MESSAGES_PER_MINUTE',
    description: 'Inbound messages per minute from one address; for IPv6 from one network (/64).',
    default: 600,
    min: 1,
    max: 1_000_000,
  }),
  inboundMegabytesPerMinute: integer({
    env: 'POSTMESH_INBOUND_MEGABYTES_PER_MINUTE',
    description:
      'Megabytes of inbound messages per minute from one address; for IPv6 from one network (/64).',
    default: 500,
    min: 1,
    max: 1_000_000,
  }),
} as const;
