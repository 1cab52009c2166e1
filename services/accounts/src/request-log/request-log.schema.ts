import { z } from 'zod';
import { ApiError, operationSpec, pageOf, Timestamp, type OperationId } from '@postmesh/contracts';
import type { Sql } from '@postmesh/http';

const Uuid = z.uuid();

/** The filters of the list. */
export const RequestLogFilters = z.object({
  status: z
    .string()
    .optional()
    .meta({ description: '`4xx`, `5xx`, or a status such as `429`. Over SMTP it is the code of the reply.' }),
  key_id: z.string().optional().meta({ description: 'The id of an API key or an SMTP credential.' }),
  path: z
    .string()
    .optional()
    .meta({ description: 'A part of the path, or the id of an operation such as `messages.send`.' }),
});
export type RequestLogFilters = z.infer<typeof RequestLogFilters>;

export const RequestLogEntry = z
  .object({
    id: z.uuid().meta({ description: 'Over HTTP the `X-Request-Id` of the response.' }),
    created_at: Timestamp,
    protocol: z.enum(['http', 'smtp']),
    method: z.string().meta({ description: 'The HTTP method, or the SMTP command.' }),
    operation: z.string().nullable().meta({ description: 'null: an unknown path, or SMTP.' }),
    path_template: z.string().nullable().meta({ description: 'The path of the operation.' }),
    path: z.string().nullable().meta({
      description: 'As received, with the names in its query and without their values; null: SMTP.',
    }),
    status: z.number().int().meta({ description: 'The HTTP status, or the code of the SMTP reply.' }),
    message: z.string().meta({ description: 'The error as the client got it, up to 500 characters.' }),
    key: z.object({
      type: z.enum(['api_key', 'smtp_credential']),
      id: z.uuid(),
      name: z.string().nullable().meta({ description: 'null: it was deleted.' }),
    }),
    request_id: z
      .string()
      .meta({ description: 'As in log lines of the operator; over SMTP, of the session.' }),
    client_ip: z.string(),
    user_agent: z.string().meta({ description: 'Over SMTP the name in EHLO.' }),
    duration_ms: z.number().int().nullable().meta({ description: 'null: SMTP.' }),
  })
  .meta({ id: 'RequestLogEntry', description: 'A request of the account that was refused or has failed.' });
export type RequestLogEntry = z.infer<typeof RequestLogEntry>;

export const RequestLogPage = pageOf(RequestLogEntry)
  .extend({
    kept_days: z.number().int().meta({ description: 'How long requests are kept; 0: none is stored.' }),
    left_out: z.array(z.object({ day: z.iso.date(), count: z.number().int() })).meta({
      description: 'Further requests of a day (UTC), of which the number is known only; newest first.',
    }),
  })
  .meta({ id: 'RequestLogPage' });
export type RequestLogPage = z.infer<typeof RequestLogPage>;

export interface RequestLogRow {
  id: string;
  created_at: Date;
  protocol: 'http' | 'smtp';
  key_id: string;
  /** label of the key, name of the credential; null: deleted */
  key_name: string | null;
  method: string;
  operation: string | null;
  path: string | null;
  status: number;
  message: string;
  request_id: string;
  client_ip: string;
  user_agent: string;
  duration_ms: number | null;
}

export const requestLogEntry = (row: RequestLogRow): RequestLogEntry => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  protocol: row.protocol,
  method: row.method,
  operation: row.operation,
  path_template: templateOf(row.operation),
  path: row.path,
  status: row.status,
  message: row.message,
  key: { type: row.protocol === 'smtp' ? 'smtp_credential' : 'api_key', id: row.key_id, name: row.key_name },
  request_id: row.request_id,
  client_ip: row.client_ip,
  user_agent: row.user_agent,
  duration_ms: row.duration_ms,
});

/** Operations of another release may be unknown to this one. */
const templateOf = (operation: string | null): string | null =>
  (operation !== null && (operationSpec(operation as OperationId) as { path: string } | undefined)?.path) ||
  null;

/**
 * The rows of an account that are not too old.
 * @throws ApiError 400
 */
export function requestLogRows(
  { status, key_id, path }: RequestLogFilters,
  { accountId, days }: { accountId: string; days: number },
): Sql {
  const parameters: unknown[] = [accountId, days];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = ['account_id = $1::uuid', 'created_at > now() - make_interval(days => $2::int)'];
  if (status !== undefined) {
    const [from, to] = readStatus(status);
    conditions.push(`status between ${place(from)}::int and ${place(to)}::int`);
  }
  if (key_id !== undefined) conditions.push(`key_id = ${place(readKeyId(key_id))}::uuid`);
  if (path !== undefined) {
    const text = place(readPath(path));
    conditions.push(`(strpos(path, ${text}) > 0 or operation = ${text})`);
  }
  return { text: `${ROWS} where ${conditions.join(' and ')}`, parameters };
}

const ROWS = `select refused.*, coalesce(
    (select label from api_keys key where key.id = refused.key_id),
    (select name from smtp_credentials credential where credential.id = refused.key_id)) as key_name
  from refused_requests refused`;

function readStatus(text: string): [from: number, to: number] {
  const [, digits] = /^([45](?:xx|\d\d))$/.exec(text) ?? [];
  if (digits === undefined) throw new ApiError(400, 'status must be 4xx, 5xx, or a number from 400 to 599');
  const from = Number(digits.replace('xx', '00'));
  return digits.endsWith('xx') ? [from, from + 99] : [from, from];
}

function readKeyId(text: string): string {
  const parsed = Uuid.safeParse(text);
  if (!parsed.success) throw new ApiError(400, 'invalid key_id');
  return parsed.data;
}

function readPath(text: string): string {
  // Postgres reads no NUL, and no path has control characters
  if (text.length > 1_000 || /\p{Cc}/u.test(text)) {
    throw new ApiError(400, 'path must be 1 to 1,000 characters');
  }
  return text;
}
