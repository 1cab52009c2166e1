import type { Tone } from '../ui/badge';

/** A webhook or a route: what its calls say, and what its service knows about it. */
export interface Endpoint {
  endpoint_id: string;
  target?: string;
  account_id?: string;
  name?: string;
  host?: string;
  state?: string;
  standing?: string | null;
  to_do?: string | null;
  deliveries: number;
  in_flight: number;
  failures: number;
  next_call_at?: string | null;
  failing_since?: string | null;
  last_failure?: string | null;
}

const TONES: Record<string, Tone> = { enabled: 'good', failing: 'warn', disabled: 'bad' };
export const stateTone = (state = 'enabled'): Tone => TONES[state] ?? 'plain';
