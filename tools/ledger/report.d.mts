export function renderLedger(
  mode: string,
  book: import('./book.mjs').Book,
  verdict: import('./run.mjs').Verdict,
): string;
export function accountOf(verdict: Pick<import('./run.mjs').Verdict, 'rows' | 'total'>): string[];
export function renderRestore(verdict: import('./restore-drill.mjs').RestoreVerdict): string;
export function timed(say: (line: string) => void): (line: string) => void;
