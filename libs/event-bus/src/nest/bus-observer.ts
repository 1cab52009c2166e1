import type { FailureKind } from '@postmesh/contracts';

/** What a service counts; every part may be left out. */
export interface BusObserver {
  handled?(pattern: string, events: number, tookMs: number): void;
  /** No handler for this pattern: another service's business, or a version that this one does not know yet. */
  ignored?(pattern: string, events: number): void;
  buried?(pattern: string | null, kind: FailureKind): void;
  redelivered?(kind: FailureKind): void;
}
