import type { FormEvent, ReactNode } from 'react';
import { t } from '../words/words';
import { Button } from './button';
import { Modal, ModalActions } from './modal';

/** The state of what a form sends. */
interface Sending {
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** The error of the server, in its words: above the button that sends the form. */
const FormError = ({ of: { error } }: { of: Sending }) =>
  error && (
    <p role="alert" className="text-sm text-bad">
      {error.message}
    </p>
  );

/** The end of a form on a page. A reader who may not change it gets no button. */
export function SaveButton({
  of,
  mayWrite,
  disabled = false,
}: {
  of: Sending;
  mayWrite: boolean;
  disabled?: boolean;
}) {
  return (
    <>
      <FormError of={of} />
      {mayWrite && (
        <div>
          <Button type="submit" look="primary" busy={of.isPending} disabled={disabled}>
            {t.save}
          </Button>
        </div>
      )}
    </>
  );
}

/** A dialog with one form. */
export function FormModal({
  title,
  send = title,
  of,
  disabled = false,
  wide = false,
  submit,
  onClose,
  children,
}: {
  title: string;
  /** the button; its words are those of the title otherwise */
  send?: string;
  of: Sending;
  disabled?: boolean;
  wide?: boolean;
  submit: (event: FormEvent) => unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal title={title} onClose={onClose} wide={wide}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event);
        }}
        className="flex flex-col gap-4"
      >
        {children}
        <FormError of={of} />
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={of.isPending} disabled={disabled}>
            {send}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
