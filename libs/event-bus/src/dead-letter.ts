import type { FailureKind, Stream } from '@postmesh/contracts';

/** An event that a group gave up, on its way to the dead letters of that group. */
export interface BuriedEvent {
  /** The event's own id, or `<stream>/<partition>/<position>` where the record has none that can be read. */
  id: string;
  stream: Stream;
  group: string;
  /** `<type>.v<version>`, null where the record could not be read */
  pattern: string | null;
  kind: FailureKind;
  /** What the handler said, for a person: no bodies, no addresses. */
  reason: string;
  /** The envelope as it came, or the stored text where it was no JSON. */
  event: unknown;
}

/** A dead letter as an operator sees it. */
export interface DeadLetter extends BuriedEvent {
  /** RFC 3339 with milliseconds */
  died_at: string;
}
