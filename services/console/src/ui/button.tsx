import { Link, type LinkProps } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icons';

const BASE =
  'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-55';
const LOOKS = {
  primary: 'bg-ink text-canvas hover:bg-ink-2 disabled:hover:bg-ink',
  plain: 'border border-edge/60 bg-surface hover:border-edge hover:bg-sunken',
  quiet: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'border border-bad/50 bg-surface text-bad hover:bg-bad-soft',
} as const;

type Look = keyof typeof LOOKS;

interface Extra {
  readonly look?: Look;
  readonly icon?: IconName;
  readonly busy?: boolean;
  readonly children?: ReactNode;
}

export function Button({
  look = 'plain',
  icon,
  busy = false,
  className = '',
  children,
  ...rest
}: Extra & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
      className={`${BASE} ${LOOKS[look]} ${className}`}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function LinkButton({
  look = 'plain',
  icon,
  className = '',
  children,
  ...rest
}: Extra & LinkProps & { className?: string }) {
  return (
    <Link {...rest} className={`${BASE} ${LOOKS[look]} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

/** A page of another site, in a tab of its own. */
export function OutsideButton({
  look = 'plain',
  icon,
  className = '',
  children,
  href,
}: Extra & { href: string; className?: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={`${BASE} ${LOOKS[look]} ${className}`}
    >
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** Only an icon to see: the label is its name. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: { icon: IconName; label: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink ${className}`}
    >
      <Icon name={icon} />
    </button>
  );
}
