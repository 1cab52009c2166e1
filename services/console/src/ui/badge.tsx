import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'plain' | 'accent';

const TONES: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  plain: 'bg-sunken text-ink-2',
  accent: 'bg-accent-soft text-accent',
};

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

const DOTS: Record<Tone, string> = {
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  plain: 'bg-ink-3',
  accent: 'bg-accent',
};

export function Dot({ tone }: { tone: Tone }) {
  return <span aria-hidden="true" className={`inline-block size-2 shrink-0 rounded-full ${DOTS[tone]}`} />;
}
