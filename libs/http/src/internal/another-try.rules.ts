// No connection was made, so the service cannot have begun.
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
// The connection broke; the service may have processed the request.
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export interface Attempt {
  method: string;
  /** nothing of the body was read yet, or it has none */
  untouched: boolean;
}

/** Whether the same request may be sent once more without being processed twice. */
export function isWorthAnotherTry(error: unknown, { method, untouched }: Attempt): boolean {
  const code = codeOf(error);
  if (NOT_CONNECTED.has(code)) return untouched;
  return BROKEN.has(code) && method === 'GET' && untouched;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
