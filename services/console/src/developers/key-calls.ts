import { api, once, read, type Schemas } from '../api/client';
import { useAccount, useCan } from '../api/session';

export type Key = Schemas['ApiKey'];
export type KeyBody = Pick<Schemas['ApiKeysCreateBody'], 'label' | 'scopes' | 'ip_allow_list'>;

/** The keys of the account, or those of a sub-account, which its parent makes. */
export function useKeyCalls(subAccountId?: string) {
  const account = useAccount();
  const scope = subAccountId === undefined ? 'api-keys' : 'sub-account-api-keys';
  const rights = { mayWrite: useCan(`${scope}:write`), mayDelete: useCan(`${scope}:delete`) };
  if (subAccountId === undefined)
    return {
      ...rights,
      queryKey: ['api-keys', account.account_id],
      path: '/api-keys',
      list: (after: string | undefined) =>
        read(api.GET('/v2/accounts/{account_id}/api-keys', { params: { path: account, query: { after } } })),
      create: (body: KeyBody) =>
        read(
          api.POST('/v2/accounts/{account_id}/api-keys', { params: { path: account, header: once() }, body }),
        ),
      change: (key_id: string, body: KeyBody) =>
        read(
          api.PUT('/v2/accounts/{account_id}/api-keys/{key_id}', {
            params: { path: { ...account, key_id } },
            body,
          }),
        ),
      remove: (key_id: string) =>
        read(
          api.DELETE('/v2/accounts/{account_id}/api-keys/{key_id}', {
            params: { path: { ...account, key_id } },
          }),
        ),
    };
  const path = { ...account, sub_account_id: subAccountId };
  return {
    ...rights,
    queryKey: ['api-keys', account.account_id, subAccountId],
    path: `/sub-accounts/${subAccountId}/api-keys`,
    list: (after: string | undefined) =>
      read(
        api.GET('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys', {
          params: { path, query: { after } },
        }),
      ),
    create: (body: KeyBody) =>
      read(
        api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys', {
          params: { path, header: once() },
          body,
        }),
      ),
    change: (key_id: string, body: KeyBody) =>
      read(
        api.PUT('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}', {
          params: { path: { ...path, key_id } },
          body,
        }),
      ),
    remove: (key_id: string) =>
      read(
        api.DELETE('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}', {
          params: { path: { ...path, key_id } },
        }),
      ),
  };
}

export type KeyCalls = ReturnType<typeof useKeyCalls>;
