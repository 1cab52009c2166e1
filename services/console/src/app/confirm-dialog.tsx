import { useQuery } from '@tanstack/react-query';
import { useAsked } from '../api/confirmation';
import { Button } from '../ui/button';
import { Modal, ModalActions } from '../ui/modal';
import { t } from '../words/words';
import { waysQuery } from './oidc';

/** Before a change that needs it: a new login at the provider, in a window that a click opens, as browsers want it. */
export default function ConfirmDialog() {
  const asked = useAsked();
  const name = useQuery(waysQuery).data?.oidc?.name ?? t.signIn.oidcName;
  if (!asked) return null;
  const cancel = () => asked.end(false);
  return (
    <Modal title={t.confirm.title} onClose={cancel}>
      <p>{t.confirm.text(name)}</p>
      <ModalActions>
        <Button onClick={cancel}>{t.cancel}</Button>
        <Button
          look="primary"
          autoFocus
          onClick={() =>
            void window.open(
              '/console/sign-in/oidc?confirm=1',
              'postmesh-confirm',
              'popup,width=520,height=720',
            )
          }
        >
          {t.signIn.oidc(name)}
        </Button>
      </ModalActions>
    </Modal>
  );
}
