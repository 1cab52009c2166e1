import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { Icon } from './icons';

/** The frame of each page: where one is, its title, and what can be done here. */
export function Page({
  title,
  back,
  actions,
  lead,
  children,
  heading,
}: {
  title: string;
  heading?: ReactNode;
  back?: LinkProps & { label: string };
  actions?: ReactNode;
  lead?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Postmesh`;
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-5 pb-20 sm:px-8 sm:pt-8">
      {back && (
        <Link {...back} className="mb-2 inline-flex items-center gap-1 text-sm text-ink-3 hover:text-ink">
          <Icon name="left" />
          {back.label}
        </Link>
      )}
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight break-words">{heading ?? title}</h1>
          {lead && <div className="mt-1 max-w-2xl text-ink-2">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="mt-8 first:mt-0 [.grid>&]:mt-0" aria-label={title}>
      <div className="mb-2 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h2 className="text-base font-semibold">{title}</h2>
          {lead && <p className="text-sm text-ink-3">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values, one below the other. */
export function Facts({
  rows,
}: {
  rows: readonly (readonly [name: string, value: ReactNode] | false | undefined)[];
}) {
  return (
    <dl className="grid grid-cols-[minmax(6.500rem,auto)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5 text-sm">
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]} className="contents">
              <dt className="text-ink-3">{row[0]}</dt>
              <dd className="min-w-0 break-words">{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export interface Tab {
  readonly id: string;
  readonly label: string;
}

/** Parts of a page. The chosen one is in the address, so that it can be linked. */
export function Tabs({
  tabs,
  current,
  choose,
  label,
}: {
  tabs: readonly Tab[];
  current: string;
  choose: (id: string) => void;
  label: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  // on a phone the tabs may be wider than the page, which itself is not scrolled
  useEffect(() => {
    const all = list.current;
    const chosen = all?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (all && chosen)
      all.scrollLeft = chosen.offsetLeft - all.offsetLeft - (all.clientWidth - chosen.offsetWidth) / 2;
  }, [current]);
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className="mb-4 flex gap-1 overflow-x-auto border-b border-line"
    >
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => choose(id)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            if (step === 0) return;
            const next = tabs[(tabs.findIndex((tab) => tab.id === id) + step + tabs.length) % tabs.length];
            if (!next) return;
            choose(next.id);
            document.getElementById(`tab-${next.id}`)?.focus();
          }}
          className={`-mb-px border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap ${id === current ? 'border-ink' : 'border-transparent text-ink-3 hover:text-ink'}`}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
