export function fetchKafka(): string;
export function wipeKafka(dir: string): void;
export function startKafka(options?: {
  dir?: string;
  owned?: boolean;
  keepData?: boolean;
}): Promise<{ env: { KAFKA_BROKERS: string }; pid: number; stop: () => Promise<void> }>;
