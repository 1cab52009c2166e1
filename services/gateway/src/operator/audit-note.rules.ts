import { AuditNote } from '@postmesh/accounts-contract';
import { normaliseDomain, Uuid } from '@postmesh/contracts';

/** The audited parts of an operator's request. */
export interface OperatorAction {
  operator: string;
  method: string;
  /** below `/operator/` */
  path: string;
  query: URLSearchParams;
  body: unknown;
}

const MAX_TEXT_LENGTH = 200;
const MAX_FIELDS = 50;
const SECRET = /secret|password|passphrase|token|private|credential/i;

/**
 * The audit entry of an action. Ids and domains are removed from the path, so that equal actions have equal names:
 * `PUT domains/accounts/{account_id}/settings`.
 */
export function noteOf({ operator, method, path, query, body }: OperatorAction): AuditNote {
  const segments = path.split('/').map(decoded);
  const ids = segments.filter((segment) => Uuid.safeParse(segment).success);
  const account = segments.find((_, at) => isAccountId(segments, at));
  const names = segments.map((segment, at) =>
    isAccountId(segments, at)
      ? '{account_id}'
      : ids.includes(segment)
        ? '{id}'
        : isDomain(segments, at)
          ? '{domain}'
          : segment,
  );
  return AuditNote.parse({
    operator,
    action: shortened(`${method} ${names.join('/')}`),
    account_id: account?.toLowerCase() ?? null,
    subject_id: ids.at(-1)?.toLowerCase() ?? null,
    details: {
      path: shortened(path),
      ...(query.size === 0 ? {} : { query: shortened(query.toString()) }),
      ...(body === undefined ? {} : { body: noteOfBody(body) }),
    },
  });
}

const isAccountId = (segments: readonly string[], at: number) =>
  segments[at - 1] === 'accounts' && Uuid.safeParse(segments[at]).success;

/** `…/domains/shop.test`; the first `domains` is the service. */
const isDomain = (segments: readonly string[], at: number) =>
  at > 1 && segments[at - 1] === 'domains' && normaliseDomain(segments[at] ?? '') !== undefined;

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The fields of a body: small values unchanged, lists by their length; no secrets, bounded in size. */
export function noteOfBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return noteOfValue(body);
  const fields = Object.entries(body).slice(0, MAX_FIELDS);
  return Object.fromEntries(
    fields.map(([name, value]) => [
      shortened(name),
      SECRET.test(name) && value !== null ? '[hidden]' : noteOfValue(value),
    ]),
  );
}

function noteOfValue(value: unknown): unknown {
  if (Array.isArray(value)) return `[${value.length} items]`;
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length} fields}`;
  return typeof value === 'string' ? shortened(value) : value;
}

/** PostgreSQL stores neither NUL nor lone surrogates, and writing the entry must not fail. */
function shortened(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
}
