export const BRIEF_LIFE: readonly string[];
export const FLEET_SECRET: string;
export const FLEET_OPERATOR_TOKEN: string;
export function onRealParts(parts: {
  databaseUrl: string;
  brokers: readonly string[];
  redisUrl: string;
  internet: { dnsAddress: string; sinkPort: number };
}): Record<string, string>;
export class Fleet {
  constructor(settings: Record<string, string>, root?: string);
  readonly output: string;
  readonly balancers: ReadonlyMap<string, { portOf(name: string): number }>;
  balance(services: readonly string[]): Promise<void>;
  nameOf(service: string): string;
  processesOf(service: string): string[];
  urlOf(name: string): string;
  choosePorts(names: readonly string[]): Promise<void>;
  start(name: string, service: string, more?: Record<string, string>, root?: string): Promise<void>;
  startGateway(name: string, more?: Record<string, string>): Promise<string>;
  restart(name: string): Promise<void>;
  kill(name: string, signal: NodeJS.Signals): Promise<number | null>;
  stop(): Promise<void>;
}
