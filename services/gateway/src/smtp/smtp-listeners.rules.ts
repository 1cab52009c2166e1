import type { SmtpReply } from '@postmesh/messages-contract';
import type { Settings } from '@postmesh/settings';
import { REPLIES } from './replies.table.js';

/**
 * - `submission`: only sessions that log in may send.
 * - `inbound`: clients may only send to recipients that accept inbound mail.
 * - `both`: a session that logs in is a submission, any other is inbound (architecture §3.1).
 */
export type ListenerRole = 'submission' | 'inbound' | 'both';

export interface SmtpEndpoint {
  readonly port: number;
  readonly role: ListenerRole;
  /** names the setting in an error */
  readonly setting: string;
}

const SUBMISSION = 'POSTMESH_SUBMISSION_PORTS';
const INBOUND = 'POSTMESH_MX_PORT';

/** The ports to listen on; a port in both settings has the role `both` (port 25 in production). */
export function smtpEndpoints(settings: Pick<Settings, 'submissionPorts' | 'mxPort'>): SmtpEndpoint[] {
  const { submissionPorts, mxPort } = settings;
  // 0 is any free port, so it is never shared
  const shared = (port: number) => port === mxPort && port !== 0;
  const endpoints: SmtpEndpoint[] = submissionPorts.map((port) => ({
    port,
    role: shared(port) ? 'both' : 'submission',
    setting: SUBMISSION,
  }));
  if (endpoints.some(({ role }) => role === 'both')) return endpoints;
  return [...endpoints, { port: mxPort, role: 'inbound', setting: INBOUND }];
}

/** The state of a session that decides the allowed commands. */
export interface SessionState {
  readonly secure: boolean;
  readonly loggedIn: boolean;
}

/** RFC 3207 §4, RFC 4954 §6: 530 5.7.0. @returns undefined when MAIL FROM is allowed */
export function mailRejection(role: ListenerRole, { secure, loggedIn }: SessionState): SmtpReply | undefined {
  if (role !== 'submission' || loggedIn) return undefined;
  return secure ? REPLIES.logInFirst : REPLIES.tlsFirst;
}

/** AUTH needs TLS (spec 1-platform §12). */
export function loginRejection({ secure }: SessionState): SmtpReply | undefined {
  return secure ? undefined : REPLIES.tlsFirst;
}
