import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** the label is there for screen readers alone */
  readonly bare?: boolean;
}

function Frame({
  id,
  label,
  hint,
  error,
  bare = false,
  children,
}: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={bare ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      {children}
      {hint !== undefined && !error && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-3">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: Labelled) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error ? `${id}-error` : hint === undefined ? undefined : `${id}-hint`,
});

export function Input({
  label,
  hint,
  error,
  bare,
  className = '',
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const labelled = { label, hint, error, bare: bare ?? false };
  return (
    <Frame id={id} {...labelled}>
      <input
        id={id}
        type="text"
        spellCheck={false}
        autoComplete="off"
        {...described(id, labelled)}
        {...rest}
        className={`field ${className}`}
      />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  bare,
  className = '',
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  const id = useId();
  const labelled = { label, hint, error, bare: bare ?? false };
  return (
    <Frame id={id} {...labelled}>
      <textarea id={id} rows={4} {...described(id, labelled)} {...rest} className={`field ${className}`} />
    </Frame>
  );
}

export function Select({
  label,
  hint,
  error,
  bare,
  options,
  className = '',
  ...rest
}: Labelled & {
  options: readonly (readonly [value: string, text: string])[];
} & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  const labelled = { label, hint, error, bare: bare ?? false };
  return (
    <Frame id={id} {...labelled}>
      <select id={id} {...described(id, labelled)} {...rest} className={`field ${className}`}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export function Check({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex items-start gap-2 py-1 text-sm">
      <input type="checkbox" {...rest} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-xs text-ink-3">{hint}</span>}
      </span>
    </label>
  );
}
