/** First part of the keys of queries about ways out. */
export const EGRESS = ['egress'] as const;

export interface Pool {
  id: string;
  order: string;
  when_blocked: string;
  over_budget: string;
  origin: string;
}
export interface Source {
  id: string;
  pool: string;
  address: string;
  ehlo: string;
  origin: string;
  warm_up: boolean;
  here: boolean;
  answered: boolean;
  in_spf: boolean;
  ptr: { ok: boolean; detail: string } | null;
}
export interface Relay {
  id: string;
  pool: string;
  place: number;
  host: string;
  port: number;
  tls: string;
  user: string | null;
  origin: string;
}
export interface Rule {
  id: string;
  place: number;
  pool: string;
  account_id: string | null;
  sending_domain: string | null;
  provider: string | null;
  stream: string | null;
  tag: string | null;
}
