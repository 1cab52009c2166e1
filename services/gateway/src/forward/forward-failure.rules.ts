import { ApiError, Transient } from '@postmesh/contracts';
import { ClientGone } from './client-body.js';

// No connection was made, so the service cannot have begun.
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
// The connection broke; what the service did nobody knows.
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export interface Attempt {
  method: string;
  /** nothing of the client's body was read yet, or there is none */
  untouched: boolean;
}

/** Whether the same request may be sent once more without being done twice. */
export function isWorthAnotherTry(error: unknown, { method, untouched }: Attempt): boolean {
  const code = codeOf(error);
  if (NOT_CONNECTED.has(code)) return untouched;
  return BROKEN.has(code) && method === 'GET' && untouched;
}

/** 503 where the request was certainly not done, or only reads; else 500, since nobody knows. */
export function toForwardError(error: unknown, service: string, { method }: Pick<Attempt, 'method'>): Error {
  if (error instanceof ApiError || error instanceof ClientGone) return error;
  const code = codeOf(error);
  if (NOT_CONNECTED.has(code) || (BROKEN.has(code) && method === 'GET')) {
    return new Transient(`${service} cannot be reached`, undefined, { cause: error });
  }
  return new Error(`${service} did not response`, { cause: error });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
