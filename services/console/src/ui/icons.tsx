import type { SVGProps } from 'react';

/** One stroke, 16 units wide: d of a path. */
const PATHS = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V9.5h-3v4h-4z',
  messages: 'M2 3.5h12v9H2zM2.5 4 8 8.5 13.5 4',
  domains:
    'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c2 1.8 2.6 3.800 2.600 6S10 12.200 8 14C6 12.200 5.400 10.200 5.400 8S6 3.800 8 2z',
  templates: 'M3 2h7l3 3v9H3zM10 2v3h3M5.500 8h5M5.500 10.500h5',
  audience:
    'M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM1.500 13.500c0-2.500 2-3.800 4.500-3.800s4.500 1.300 4.500 3.800M10.500 8a2.200 2.200 0 0 0 .3-4.300M12 9.900c1.500.5 2.500 1.600 2.500 3.600',
  campaigns: 'M2.500 6.500v3l2 .3L12 13V3L4.500 6.200zM5 10l.8 3.500h1.700L6.800 10.500M14 6.500v3',
  webhooks:
    'M5.500 6.500a2.500 2.500 0 1 1 3.600 0L11 10M9.500 11.500H5.300M5.500 9.300a2.500 2.500 0 1 0 1.200 3.500M11 9a2.500 2.500 0 1 1-1.500 4.400M7.300 7 5 10.800',
  suppressions: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM4 4l8 8',
  developers: 'M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500M9 3 7 13',
  statistics: 'M2.500 13.500h11M4 11V8M8 11V3.500M12 11V6',
  settings: 'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300 14 14',
  copy: 'M5.500 5.500h8v8h-8zM3 10.500H2.500v-8h8V3',
  check: 'm3 8.500 3.200 3.200L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2 4.500h12M2 8h12M2 11.500h12',
  down: 'm4 6 4 4 4-4',
  up: 'm4 10 4-4 4 4',
  undo: 'M5.500 3 2.500 6l3 3M2.500 6h7a4 4 0 0 1 0 8H7',
  redo: 'm10.500 3 3 3-3 3M13.500 6h-7a4 4 0 0 0 0 8H9',
  right: 'm6 4 4 4-4 4',
  left: 'm10 4-4 4 4 4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.500V8l2.500 1.500',
  warning: 'M8 2.500 14.500 13.500h-13zM8 6.500v3.200M8 11.600v.1',
  more: 'M3.500 8h.1M8 8h.1M12.500 8h.1',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.600L13 6M13 2.500V6H9.500',
  sun: 'M8 5.200a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600zM8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9',
  link: 'M6.500 9.500 9.500 6.500M7 5l1.500-1.500a2.800 2.800 0 0 1 4 4L11 9M9 11l-1.500 1.500a2.800 2.800 0 0 1-4-4L5 7',
  play: 'M4.500 3v10l8-5z',
  trash: 'M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.6 9h6.800l.6-9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, ...props }: { name: IconName } & SVGProps<SVGSVGElement>) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.400"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      {...props}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
