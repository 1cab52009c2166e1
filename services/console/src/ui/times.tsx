import { useSyncExternalStore } from 'react';
import { stored } from './stored';

/** Times are shown where the reader is, or in UTC as in logs. */
export type Zone = 'local' | 'utc';
export const zone = stored<Zone>('postmesh.zone', 'local');

const optionsOf = (of: Zone) => (of === 'utc' ? { timeZone: 'UTC' } : {});
const formats = new Map<string, Intl.DateTimeFormat>();

function format(of: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = of + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, ...optionsOf(of) });
  formats.set(key, known);
  return known;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;

export const useZone = (): Zone => useSyncExternalStore(zone.subscribe, zone.get);

export function dateTimeText(time: string | Date, of: Zone, { seconds = true } = {}): string {
  const date = new Date(time);
  const clock = seconds ? CLOCK : { hour: CLOCK.hour, minute: CLOCK.minute };
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const day = isThisYear ? DAY : ({ ...DAY, year: 'numeric' } as const);
  return `${format(of, day).format(date)}, ${format(of, clock).format(date)}${of === 'utc' ? ' UTC' : ''}`;
}

export const dayText = (time: string | Date, of: Zone): string => format(of, DAY).format(new Date(time));

export const clockText = (time: string | Date, of: Zone): string =>
  format(of, { hour: '2-digit', minute: '2-digit' }).format(new Date(time)) + (of === 'utc' ? ' UTC' : '');

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function agoText(time: string | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1_000;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return RELATIVE.format(Math.trunc(seconds / length), unit);
}

/** @param seconds a length of time */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

/** Exact to the second, with how long ago it was as its title; or the other way round. */
export function Time({ at, ago = false }: { at: string; ago?: boolean }) {
  const of = useZone();
  const exact = dateTimeText(at, of);
  const relative = agoText(at);
  return (
    <time dateTime={at} title={ago ? exact : relative}>
      {ago ? relative : exact}
    </time>
  );
}
