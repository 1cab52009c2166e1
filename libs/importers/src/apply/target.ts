/** Requests of an account by an API key; each is repeated while a limit or a lost connection asks for it. */
export interface ApiTarget {
  /**
   * @param path below `/v2/accounts/<account>`
   * @param key of idempotency
   * @throws RefusedRequest for a response of 4xx
   */
  call(method: string, path: string, body?: unknown, key?: string): Promise<unknown>;
}

/** The operator interface: imports of suppressions with their dates and protection, and the attributes of contacts. */
export interface OperatorTarget {
  accountId: string;
  ask(request: { method?: string; path: string; body?: unknown }): Promise<unknown>;
  /** a file in the form of NDJSON */
  upload(path: string, lines: AsyncIterable<string>): Promise<unknown>;
}

export type ShowProgress = (progress: { done: number; total: number; unit: string }) => void | Promise<void>;

/** A response that refuses a request: a later one would be refused too. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
