import { t } from '../words/words';
import { Button } from './button';
import { Value } from './copy';
import { Modal, ModalActions } from './modal';
import { Facts } from './page';

/** Shown once: the server keeps no readable copy. */
export function SecretOnce({
  title,
  rows,
  onClose,
}: {
  title: string;
  rows: readonly (readonly [string, string])[];
  onClose: () => void;
}) {
  return (
    <Modal title={title} onClose={onClose}>
      <p className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">{t.shownOnce}</p>
      <Facts rows={rows.map(([name, value]) => [name, <Value key={name} text={value} label={name} />])} />
      <ModalActions>
        <Button look="primary" onClick={onClose}>
          {t.storedIt}
        </Button>
      </ModalActions>
    </Modal>
  );
}
