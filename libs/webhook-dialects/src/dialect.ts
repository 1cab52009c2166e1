import type { DataOf, EventType } from './event.schema.js';

/** An event of ours that a dialect translates. */
export interface Event<T extends EventType = EventType> {
  readonly type: T;
  /** when it happened */
  readonly at: Date;
  /** unique for event and webhook, and the same on every retry: `msg_` and 32 hexadecimal digits */
  readonly messageId: string;
  readonly data: DataOf<T>;
}

/** The counterpart of one of our events. */
export interface SentEvent<T extends EventType> {
  /** its name there */
  readonly name: string;
  /** differences, for the reference */
  readonly words?: string;
  /** an event that it is false for has no counterpart and is not sent */
  readonly when?: (data: DataOf<T>) => boolean;
  readonly payload: (event: Event<T>) => object;
}

/** Every event of ours: what it becomes, or why it is not sent. */
export type EventTable = {
  readonly [T in EventType]: SentEvent<T> | { readonly unsent: string };
};

/** The text to post, with what signs it. */
export interface Unsigned {
  readonly payload: object;
  readonly messageId: string;
  /** of this attempt */
  readonly at: Date;
  readonly secret: string;
}

export interface SignedCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The calls of another service. */
export interface WebhookDialect {
  /** of the service whose calls they are */
  readonly title: string;
  /** how a receiver verifies a call, for the reference */
  readonly signature: string;
  readonly notes: readonly string[];
  readonly events: EventTable;
  /** null where calls are not signed */
  readonly secrets: {
    make: () => string;
    /** whether it is one of a receiver that exists; left out where none can be given */
    fits?: (given: string) => boolean;
    /** the form of a secret that is given, for errors and the reference */
    form?: string;
    /** what a receiver verifies with, where it is no secret */
    publicKeyOf?: (secret: string) => string;
  } | null;
  readonly sign: (call: Unsigned) => SignedCall;
}

export const seconds = (at: Date): number => Math.floor(at.getTime() / 1_000);
