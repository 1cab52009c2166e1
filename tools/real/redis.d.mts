export function needRedis(): void;
export function startRedis(options?: {
  dir?: string;
  owned?: boolean;
  keepData?: boolean;
}): Promise<{ env: { REDIS_URL: string }; pid: number; stop: () => Promise<void> }>;
