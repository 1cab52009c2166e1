import type { ReactNode } from 'react';

export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <div className="airmail h-[3px]" aria-hidden="true" />
      <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center px-4 pb-24">
        <div className="mb-6 flex items-center gap-3">
          <img src="/console/mark.svg" alt="" width="36" height="36" />
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        </div>
        {children}
      </main>
    </div>
  );
}
