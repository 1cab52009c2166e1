/** What one DKIM alias shall say from now on. */
export interface AliasChange {
  /** full name, without a trailing dot */
  name: string;
  /** the one TXT record at the name, of any length; null: the name goes away */
  text: string | null;
}

/** The place where the service keeps the DKIM aliases of managed domains (spec 1-platform §11.2 rule 6). */
export interface ManagedZone {
  /**
   * Whether `apply` writes them. Otherwise somebody reads `/operator/zone` and publishes it, and only resolvers tell
   * whether a record is there.
   */
  readonly isWritten: boolean;
  /**
   * All changes or none. Repeating them changes nothing.
   * @throws Transient with what the zone's server said, or why it could not be asked
   */
  apply(changes: readonly AliasChange[]): Promise<void>;
}

export const MANAGED_ZONE = Symbol('ManagedZone');
