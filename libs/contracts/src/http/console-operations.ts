import { OPERATIONS, type ApiOperationId, type OperationSpec } from './operations.js';

const C = '/console/api';

function operation(
  line: string,
  { service = 'accounts', scope = { kind: 'none' } }: Partial<Pick<OperationSpec, 'service' | 'scope'>> = {},
): OperationSpec {
  const [method, path] = line.split(' ') as [OperationSpec['method'], string];
  return { method, path, service, scope, idempotent: false, rate: 'general', partnersOnly: false };
}

/** Requests without a session, which the gateway hands to the accounts service. */
const anonymous = { service: 'gateway', scope: { kind: 'anonymous' } } as const;
/** The handler checks the role. */
const byRole = { scope: { kind: 'handler' } } as const;

/**
 * The operations of the console in addition to those of the API: their callers are members with a session, never keys
 * (decision 116). They are routed, served and described like the operations of the API, in a document of their own.
 */
export const CONSOLE_OPERATIONS = {
  'sign-in-links.create': operation(`POST ${C}/sign-in-links`, anonymous),
  'sessions.create': operation(`POST ${C}/sessions`, anonymous),
  'sessions.list': operation(`GET ${C}/sessions`),
  'sessions.end': operation(`DELETE ${C}/sessions/{session_id}`),
  'sessions.end-all': operation(`DELETE ${C}/sessions`),
  'session.get': operation(`GET ${C}/session`),
  'session.switch-account': operation(`POST ${C}/session/account`),
  'session.end': operation(`DELETE ${C}/session`),
  'roles.list': operation(`GET ${C}/roles`),
  'audit.list': operation(`GET ${C}/audit`, byRole),
} as const satisfies Record<string, OperationSpec>;

export type ConsoleOperationId = keyof typeof CONSOLE_OPERATIONS;
export type OperationId = ApiOperationId | ConsoleOperationId;

/** Everything that a gateway routes. Their paths keep the two kinds of callers apart. */
export const ALL_OPERATIONS: Readonly<Record<OperationId, OperationSpec>> = {
  ...OPERATIONS,
  ...CONSOLE_OPERATIONS,
};
export const operationSpec = (id: OperationId): OperationSpec => ALL_OPERATIONS[id];

/** Below this path the caller is a session; `/v2/…` behind it is an operation of the API. */
export const CONSOLE_PREFIX = C;

/** The cookie of a session: its value is a secret. */
export const SESSION_COOKIE = '__Host-postmesh-session';
