import type { Schemas } from '../api/client';
import type { Tone } from '../ui/badge';

export type Campaign = Schemas['Campaign'];
export type State = Campaign['status'];

export const TONES: Record<State, Tone> = {
  draft: 'plain',
  validating: 'accent',
  waiting_for_review: 'warn',
  scheduled: 'accent',
  sending: 'accent',
  paused: 'warn',
  sent: 'good',
  canceled: 'plain',
  failed: 'bad',
};

/** Its figures change without a click. */
export const isMoving = (status: State | undefined): boolean =>
  status === 'validating' || status === 'sending' || status === 'scheduled';
export const isEditable = (status: State): boolean => status === 'draft';
