import { snapshotMetrics, type Metrics, type MetricsSnapshot } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';

/** A part of all-in-one that has an event loop of its own: a thread, or a process. */
export interface Part {
  metrics: Metrics;
  ready(): Promise<boolean>;
  useMxPort?(port: number): void;
  stop(): Promise<void>;
}

/** It says what others have to know of it. */
export interface ThreadPart extends Part {
  facts: PartFacts;
}

export type PartFacts = Record<string, string | number>;
export type PartState = { kind: 'state'; question: number; ready: boolean; metrics: MetricsSnapshot };

type StateQuestion = { kind: 'state'; question: number };
export type PartQuestion =
  | { kind: 'start'; settings: Settings }
  | StateQuestion
  | { kind: 'stop' }
  | { kind: 'mx-port'; port: number };

const STATE_TIMEOUT_MS = 2_000;

/** In the part: does what is asked of it. */
export function servePart(part: Part, question: PartQuestion, say: (state: PartState) => void): void {
  if (question.kind === 'stop') void part.stop().finally(() => process.exit(0));
  else if (question.kind === 'mx-port') part.useMxPort?.(question.port);
  else if (question.kind === 'state') void sayState(part, question.question, say);
}

async function sayState(part: Part, question: number, say: (state: PartState) => void): Promise<void> {
  say({ kind: 'state', question, ready: await part.ready(), metrics: await snapshotMetrics(part.metrics) });
}

/** In the main thread: asks a part how it is. */
export class StateQuestions {
  private readonly waiting = new Map<number, (state: PartState) => void>();
  private count = 0;

  /** @returns undefined when the part does not reply in time */
  ask(post: (question: StateQuestion) => void): Promise<PartState | undefined> {
    const question = ++this.count;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(undefined), STATE_TIMEOUT_MS);
      const settle = (state: PartState | undefined) => {
        clearTimeout(timer);
        this.waiting.delete(question);
        resolve(state);
      };
      this.waiting.set(question, settle);
      post({ kind: 'state', question });
    });
  }

  answered(state: PartState): void {
    this.waiting.get(state.question)?.(state);
  }
}
