/** The new content of one DKIM alias. */
export interface AliasChange {
  /** full name, without a trailing dot */
  name: string;
  /** the one TXT record at the name, of any length; null: the name is withdrawn */
  text: string | null;
}

/** The zone with the DKIM aliases of managed domains (spec 1-platform §11.2 rule 6). */
export interface ManagedZone {
  /**
   * Whether `apply` writes them. Otherwise another program reads `/operator/zone` and publishes it, and only resolvers
   * show whether a record is published.
   */
  readonly isWritten: boolean;
  /**
   * Applies all changes or none. Repeating them changes nothing.
   * @throws Transient with the reply of the zone's server, or the reason why it could not be reached
   */
  apply(changes: readonly AliasChange[]): Promise<void>;
}

export const MANAGED_ZONE = Symbol('ManagedZone');
