export function fetchKafka(): string;
export function wipeKafka(dir: string): void;
export function startKafka(options?: {
  dir?: string;
  owned?: boolean;
  keepData?: boolean;
  login?: { username: string; password: string; key: string; cert: string };
  host?: string;
}): Promise<{ env: { KAFKA_BROKERS: string }; secured?: string; pid: number; stop: () => Promise<void> }>;
