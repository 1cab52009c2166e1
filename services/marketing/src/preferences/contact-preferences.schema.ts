import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { FREQUENCIES } from './frequency.js';
import type { Wishes } from './preferences.js';

export const ContactPreferencesResource = z
  .object({
    object: z.literal('contact_preferences'),
    contact_id: z.uuid(),
    frequency: z
      .enum(FREQUENCIES)
      .meta({ description: 'Mail of campaigns: each, or at most one a week or a month.' }),
    frequency_chosen_at: Timestamp.nullable().meta({ description: 'Null with `every`.' }),
    paused_until: Timestamp.nullable().meta({ description: 'The end of a break; null without one.' }),
  })
  .meta({ id: 'ContactPreferences', description: 'The choices of a contact in its preference centre.' });
export type ContactPreferencesResource = z.infer<typeof ContactPreferencesResource>;

export const preferencesResource = (
  contact_id: string,
  { frequency, frequencyChosenAt, pausedUntil }: Wishes,
): ContactPreferencesResource => ({
  object: 'contact_preferences',
  contact_id,
  frequency,
  frequency_chosen_at: frequencyChosenAt?.toISOString() ?? null,
  paused_until: pausedUntil?.toISOString() ?? null,
});
