/** The reasons for which a provider gave no figures. */
export type ProviderTrouble =
  'credentials_refused' | 'domain_missing' | 'rate_limited' | 'unreachable' | 'unexpected';

export class ProviderViewError extends Error {
  override name = 'ProviderViewError';

  /** @param detail without secrets */
  constructor(
    readonly trouble: ProviderTrouble,
    readonly detail: string,
  ) {
    super(`${trouble}: ${detail}`);
  }
}

/**
 * A provider's own figures about mail of a subject: a domain, or the addresses from which it comes. Every method throws
 * ProviderViewError.
 */
export interface ProviderView<Subject, Figure> {
  /** Whether the credentials are accepted. */
  tryOut(): Promise<void>;
  /** The newest value of each figure; none for a subject with little mail. */
  read(subject: Subject, now: Date): Promise<readonly Figure[]>;
}

/** HTTP for a connector; a failure of the remote is a ProviderViewError. */
export interface ViewClient {
  get(url: string): Promise<{ status: number; text: string }>;
  post(
    url: string,
    request: { headers: Readonly<Record<string, string>>; body: string },
  ): Promise<{ status: number; text: string }>;
}
