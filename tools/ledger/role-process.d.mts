export const ACCEPTING: Readonly<Record<string, string>>;
export function acceptingElsewhere(): Promise<Record<string, string>>;
export class RoleProcess {
  constructor(env: Record<string, string | undefined>, nodeArguments?: readonly string[]);
  readonly pid: number | undefined;
  readonly starts: number;
  readonly operatorUrl: string | undefined;
  ready(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
  stop(): Promise<void>;
}
