import { useState, type ReactNode } from 'react';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { TextArea } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { w } from './words';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly end?: boolean;
}

/** A short table; a narrow screen scrolls it sideways. */
export function Table<T>({
  label,
  rows,
  columns,
  keyOf,
  empty,
}: {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  empty: string;
}) {
  if (rows.length === 0) return <p className="panel px-4 py-3 text-ink-2">{empty}</p>;
  return (
    <div className="panel overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead className="border-b border-line bg-sunken/60 text-xs text-ink-3">
          <tr>
            {columns.map(({ title, end }) => (
              <th
                key={title}
                scope="col"
                className={`px-4 py-2 font-medium whitespace-nowrap ${end ? 'text-right' : ''}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="align-top">
              {columns.map(({ title, cell, end }) => (
                <td key={title} className={`px-4 py-2.5 ${end ? 'text-right whitespace-nowrap' : ''}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const At = ({ at }: { at: string | null | undefined }) =>
  at ? (
    <span className="whitespace-nowrap">
      <Time at={at} />
    </span>
  ) : (
    <span className="text-ink-3">–</span>
  );

export const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-xs break-all">{children}</code>
);

/** A value of a table that is scrolled to on a narrow screen, in place of a few characters a line. */
export const Wide = ({ children }: { children: ReactNode }) => (
  <div className="min-w-44">
    <Code>{children}</Code>
  </div>
);

/** An action that is explained, with a text of the operator that is kept: a reason in the audit, a note for an author. */
export function ActionWithText({
  label,
  text,
  field,
  danger = false,
  optional = false,
  run,
  changes,
  done,
}: {
  label: string;
  text: string;
  field: string;
  danger?: boolean;
  optional?: boolean;
  run: (text: string) => Promise<unknown>;
  changes: readonly (readonly unknown[])[];
  done: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState('');
  const act = useAction((value: string) => run(value), {
    changes,
    quiet: true,
    done: () => {
      setOpen(false);
      setGiven('');
      done();
    },
  });
  return (
    <>
      <Button look={danger ? 'danger' : 'plain'} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Modal title={label} onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              act.mutate(given.trim());
            }}
          >
            <p className="mb-4 text-ink-2">{text}</p>
            <TextArea
              label={field}
              rows={3}
              maxLength={500}
              required={!optional}
              autoFocus
              value={given}
              onChange={(event) => setGiven(event.target.value)}
              error={act.error?.message}
            />
            <ModalActions>
              <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
              <Button
                type="submit"
                look={danger ? 'danger' : 'primary'}
                busy={act.isPending}
                disabled={!optional && given.trim() === ''}
              >
                {label}
              </Button>
            </ModalActions>
          </form>
        </Modal>
      )}
    </>
  );
}

/** An action at one click. */
export function Act({
  label,
  run,
  changes,
  done,
  primary = false,
}: {
  label: string;
  run: () => Promise<unknown>;
  changes: readonly (readonly unknown[])[];
  done: () => void;
  primary?: boolean;
}) {
  const act = useAction(run, { changes, done });
  return (
    <Button look={primary ? 'primary' : 'plain'} busy={act.isPending} onClick={() => act.mutate(undefined)}>
      {label}
    </Button>
  );
}

export const accountLink = (id: string): string => `/accounts/${id}`;
export const shortId = (id: string): string => id.slice(0, 8);
export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined ? w.none : value.toLocaleString('en');
