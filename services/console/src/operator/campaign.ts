import type { Tone } from '../ui/badge';

export interface Campaign {
  id: string;
  account_id: string;
  name: string;
  subject: string | null;
  from_email: string | null;
  status: string;
  status_reason: string | null;
  updated_at: string;
  send_at: string | null;
}

const TONES: Record<string, Tone> = {
  waiting_for_review: 'warn',
  sending: 'accent',
  paused: 'warn',
  sent: 'good',
  failed: 'bad',
};
export const campaignTone = (status: string): Tone => TONES[status] ?? 'plain';
