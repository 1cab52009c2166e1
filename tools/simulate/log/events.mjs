// @ts-check
// The events of a life: three that groups handle, and one that none does.
import { z } from 'zod';
import { defineEvent } from '../../../libs/contracts/dist/index.js';

const data = z.object({ n: z.number().int(), key: z.string(), kind: z.string() });
const about = { version: 1, data, key: (/** @type {{ key: string }} */ { key }) => key, examples: [] };

const Happened = defineEvent({ ...about, type: 'thing-happened', stream: 'accounts' });
const Changed = defineEvent({ ...about, type: 'thing-changed', stream: 'accounts' });
const Ended = defineEvent({ ...about, type: 'thing-ended', stream: 'domains' });
const Other = defineEvent({ ...about, type: 'thing-other', stream: 'accounts' });

/** By the name that a plan has for them. */
export const EVENTS = { happened: Happened, changed: Changed, ended: Ended, other: Other };

/** Events that each group handles. @type {Record<string, readonly (keyof typeof EVENTS)[]>} */
export const GROUPS = { messages: ['happened', 'changed', 'ended'], marketing: ['happened'] };

/** @param {import('./plan.mjs').Planned} planned @param {number} at Unix ms */
export function eventOf({ n, of, key, kind }, at) {
  const definition = EVENTS[of];
  const made = definition.make({ n, key, kind }, { account_id: null, occurred_at: new Date(at) });
  const event = { ...made, id: `01981f3e-5b7a-7c11-8000-${String(n).padStart(12, '0')}` };
  // of a release with a mistake: its data is another
  return kind === 'poison' ? { ...event, data: { n, key: 7 } } : event;
}
