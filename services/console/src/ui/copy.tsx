import { useState } from 'react';
import { t } from '../words/words';
import { Icon } from './icons';

const SHOWN_MS = 1_600;

function useCopied(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  return [copied, copy];
}

function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, copy] = useCopied();
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={copied ? t.copied : `${t.copy}${label ? ` ${label}` : ''}`}
      title={copied ? t.copied : t.copy}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink"
    >
      <Icon name={copied ? 'check' : 'copy'} className={copied ? 'text-good' : ''} />
    </button>
  );
}

/** A value that is read off or pasted: in the font of code, with a button that copies it. */
export function Value({ text, label }: { text: string; label?: string }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-xs break-all">{text}</code>
      <CopyButton text={text} {...(label === undefined ? {} : { label })} />
    </span>
  );
}

export function CodeBlock({ text, label }: { text: string; label?: string }) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <pre tabIndex={0} aria-label={label} className="overflow-x-auto p-3 pr-11 font-mono text-xs leading-5">
        {text}
      </pre>
      <div className="absolute top-1 right-1">
        <CopyButton text={text} />
      </div>
    </div>
  );
}
