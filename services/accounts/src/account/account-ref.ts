import type { PipeTransform } from '@nestjs/common';
import { AccountId, ApiErrors, type ApiError } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';

/** An account as a request names it: any by its id, or a child of the caller's. Deleted ones do not exist. */
export interface AccountRef {
  readonly id: AccountId;
  readonly parentId?: AccountId;
}

/** 404 for another's child, an unknown one and a deleted one alike (spec 1-platform §10.1 rule 4). */
export const accountNotFound = ({ parentId }: AccountRef): ApiError =>
  ApiErrors.notFound(parentId === undefined ? 'account' : 'sub account');

/** `@Call(accountRef) ref`: the child that the path names, else the caller's own account. */
export const accountRef: PipeTransform<ApiCall, AccountRef> = {
  transform: (call) =>
    call.param('sub_account_id') === ''
      ? { id: call.accountId }
      : { id: AccountId.parse(call.uuidParam('sub_account_id')), parentId: call.accountId },
};
