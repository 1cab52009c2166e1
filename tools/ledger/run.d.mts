export interface Row {
  kind: string;
  accepted: number;
  delivered: number;
  lost: number;
  duplicates: number;
  uncertain: number;
  webhooksMissing: number;
}
export interface Verdict {
  rows: Row[];
  total: Row;
  findings: Record<string, string[]>;
  isKept: boolean;
  longestOutageMs: number;
  longestRefusedMs: number;
  repeatedCalls: number;
}
export interface Run {
  mode: 'embedded' | 'distributed' | 'cluster';
  seconds: number;
  kills: readonly string[];
  seed: number;
  sizes: { rate: number; burst: number; campaignRecipients: number; importLines: number; webhooks: number };
  replyMs?: number;
  accepting?: number;
  relays?: boolean;
  faults?: readonly ('disk' | 'net' | 'kafka')[];
  logFile?: string | undefined;
  databaseUrl?: string;
  stores?: { brokers: readonly string[]; redisUrl: string };
  roll?: { from?: string; to?: string };
  settings?: Readonly<Record<string, string>>;
  say?: (line: string) => void;
}
export function runLedger(run: Run): Promise<{ book: import('./book.mjs').Book; verdict: Verdict }>;
