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
/** It has been begun and not ended: it can be canceled. */
export const isUnderWay = (status: State): boolean => status === 'sending' || status === 'paused';
/** It can become a draft again. */
export const isBeforeSending = (status: State): boolean =>
  status === 'validating' || status === 'waiting_for_review' || status === 'scheduled';
/** Other pauses end with their cause, or by the operator (spec 3-marketing §4.3). */
export const isPausedByMember = ({ status, status_reason: reason }: Campaign): boolean =>
  status === 'paused' && reason === 'paused by a member';
export const isEditable = (status: State): boolean => status === 'draft';
