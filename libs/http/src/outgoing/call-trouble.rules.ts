import { NameNotResolved, TargetRefused } from './guarded-connector.js';

/** The reason why a call had no HTTP response. */
export type CallTrouble =
  'address-refused' | 'name-not-resolved' | 'connection-failed' | 'tls-failed' | 'timeout' | 'not-http';

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/;
const HTTP_CODE = /^(HPE_|HTTPParserError|UND_ERR_(HEADERS_OVERFLOW|RES|NOT_SUPPORTED|INVALID))/;
const TIMEOUT_CODE = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)/;

/** @returns the kind of failure and the code of the layer that reported it, for the log */
export function describeTrouble(error: unknown): { trouble: CallTrouble; code: string } {
  const cause = rootOf(error);
  const code = codeOf(cause);
  return { trouble: troubleOf(cause, code), code };
}

function troubleOf(error: unknown, code: string): CallTrouble {
  if (error instanceof TargetRefused) return 'address-refused';
  if (error instanceof NameNotResolved) return 'name-not-resolved';
  if (TIMEOUT_CODE.test(code) || (error instanceof Error && error.name === 'TimeoutError')) return 'timeout';
  if (TLS_CODE.test(code)) return 'tls-failed';
  if (HTTP_CODE.test(code)) return 'not-http';
  return 'connection-failed';
}

/** A host with several addresses fails with one error per address; the first one is reported. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
