import type { FormEvent } from 'react';
import { Icon } from './icons';

interface SearchBoxProps {
  readonly label: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  /** gets the text without white space around it */
  readonly search: (text: string) => void;
  /** the width, among what is next to it */
  readonly className: string;
}

/** Text that is searched for with Enter. */
export function SearchBox({ label, text, setText, search, className }: SearchBoxProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text.trim());
  };
  return (
    <form role="search" onSubmit={submit} className={`relative ${className}`}>
      <Icon name="search" className="absolute top-2 left-2.5 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        className="field pl-8"
      />
    </form>
  );
}
