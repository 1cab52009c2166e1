import { describe, expect, it } from 'vitest';
import { accountList } from './account-query.rules.js';

const ID = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';

describe('the accounts in a query of an operator', () => {
  it.each([
    [{}, /else 'active' end <> 'deleted'$/, []],
    [{ state: 'deleted' }, /else 'active' end = \$1$/, ['deleted']],
    [{ parent: 'none' }, /<> 'deleted' and account\.parent_account_id is null$/, []],
    [{ parent: ID.toUpperCase() }, /account\.parent_account_id = \$1::uuid$/, [ID]],
    [{ search: ' 50%_Off ' }, /position\(\$1 in lower\(account\.name\)\)/, ['50%_off']],
    [{ state: 'active', parent: ID, search: 'x' }, /= \$1 and .*= \$2::uuid and .*\$3/, ['active', ID, 'x']],
  ])('%j', (query, text, parameters) => {
    const sql = accountList(query);
    expect(sql.text).toMatch(text);
    expect(sql.parameters).toEqual(parameters);
  });

  it.each([
    [{ state: 'nonsense' }, 'state must be one of: active, suspended, parent-suspended, blocked, deleted'],
    [{ state: ['active', 'active'] }, 'state must be one of'],
    [{ parent: 'x' }, 'invalid parent'],
    [{ search: 'a\u0000' }, 'search must be 1 to 255 characters'],
    [{ search: ' ' }, 'search must be 1 to 255 characters'],
    [{ search: 'x'.repeat(256) }, 'search must be 1 to 255 characters'],
  ])('%j is refused', (query, message) => {
    expect(() => accountList(query)).toThrow(message);
  });
});
