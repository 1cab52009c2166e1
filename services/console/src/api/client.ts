import createClient from 'openapi-fetch';
import type { paths as ConsolePaths, components as ConsoleComponents } from './generated/console';
import type { components, paths } from './generated/contract';
import { confirmAtProvider } from './confirmation';
import { askForPasskey } from './passkey-prompt';

export type Schemas = components['schemas'];
export type ConsoleSchemas = ConsoleComponents['schemas'];

/** Every operation of the API, with the session of the browser in place of a key. */
export const api = createClient<paths>({
  baseUrl: '/console/api',
  credentials: 'same-origin',
  fetch: fetchConfirmed,
});

/** The operations of the console alone, which are in no contract with clients. */
export const back = createClient<ConsolePaths>({ credentials: 'same-origin', fetch: fetchConfirmed });

/** An answer that is no success, or none at all. */
export class Problem extends Error {
  constructor(
    /** 0 when there was no answer */
    readonly status: number,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** @throws Problem */
export async function read<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call.catch(() => undefined);
  if (!answer) throw new Problem(0, 'the server did not answer', null);
  const { data, error, response } = answer;
  if (response.ok) return data as T;
  const text = (error as { message?: unknown } | undefined)?.message;
  throw new Problem(
    response.status,
    typeof text === 'string' ? text : response.statusText,
    response.headers.get('x-request-id'),
  );
}

/** A write that has to run once has a key of its own, so that a repeated click or a retry does not repeat it. */
export const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });

/**
 * Some operations need a confirmation not long before (decisions 116, 123), by a passkey or by a login at the provider: the
 * reader is asked for it, and the same request is sent again. Without a confirmation the caller gets the 403.
 */
async function fetchConfirmed(request: Request): Promise<Response> {
  const again = request.clone();
  // a removal that waited for its undo is sent when the page is left, too
  const response = await fetch(request, { keepalive: request.method === 'DELETE' });
  const ways = response.status === 403 ? (response.headers.get('www-authenticate') ?? '').split(', ') : [];
  const isConfirmed =
    (ways.includes('Passkey') && (await confirmWithPasskey())) ||
    (ways.includes('OIDC') && (await confirmAtProvider()));
  return isConfirmed ? fetch(again) : response;
}

async function confirmWithPasskey(): Promise<boolean> {
  try {
    const options = await read(back.POST('/console/api/session/confirmation/options'));
    const credential = await askForPasskey(options);
    await read(back.POST('/console/api/session/confirmation', { body: { credential } }));
    return true;
  } catch {
    return false;
  }
}
