export interface RestoreFacts {
  required: number;
  waiting: number;
  sentMeanwhile: number;
  marked: number;
  sentTwice: number;
  repeatedEvents: number;
  acceptedLater: number;
  sentLater: number;
}
export interface RestoreVerdict {
  facts: RestoreFacts;
  findings: Record<string, string[]>;
  isKept: boolean;
}
export function runRestoreDrill(about: {
  rate?: number;
  say?: (line: string) => void;
}): Promise<{ verdict: RestoreVerdict }>;
