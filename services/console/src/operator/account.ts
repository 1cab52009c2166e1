import type { Tone } from '../ui/badge';

export interface Account {
  id: string;
  name: string;
  created_at: string;
  owner_email: string;
  state: string;
  parent_account_id: string | null;
  suspended_at: string | null;
  suspended_by: string | null;
  suspension_reason: string | null;
  blocked_at: string | null;
  block_reason: string | null;
  deleted_at: string | null;
  monthly_credit: number;
}

const TONES: Record<string, Tone> = { active: 'good', blocked: 'bad', deleted: 'plain' };
export const accountTone = (state: string): Tone => TONES[state] ?? 'warn';
