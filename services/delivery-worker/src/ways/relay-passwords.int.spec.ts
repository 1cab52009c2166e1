import { expect, it } from 'vitest';
import { rotateSecrets } from '@postmesh/service-testing';
import { freshWorlds } from '../testing/fresh-world.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { Ways } from './ways.js';

const [OLD, NEW] = ['the-key-of-the-first-year-long-enough', 'the-key-of-the-second-year-long-enough'];
const LOGIN = { user: 'AKIA', password: 'a secret of the relay' };

const world = freshWorlds();

const loginOf = (worker: WorkerUnderTest) =>
  worker.service.get(Ways).pools.find(({ id }) => id === 'default')?.relays[0]?.login;

it('the password of a relay is read under the old key, sealed with the new one, and read without the old one', async () => {
  const { start } = await world();
  const first = await start({ settings: { secretKeys: [OLD] } });
  const relay = { host: 'relay.test', tls: 'required', ...LOGIN };
  expect(await first.internal('PUT', '/operator/egress/relays/ses', relay)).toMatchObject({ status: 200 });
  const sealed = async ({ database }: WorkerUnderTest) =>
    (await database.query('select password from egress_relays'))[0].password as string;
  const before = await sealed(first);
  await first.stop();

  const second = await start({ settings: { secretKeys: [NEW, OLD] } });
  expect(loginOf(second)).toEqual(LOGIN);
  expect(await rotateSecrets(second)).toMatchObject({
    'egress-relays': { current: 1, older: 0, unreadable: 0, state: 'current' },
  });
  expect(await sealed(second)).not.toBe(before);
  await second.stop();

  const third = await start({ settings: { secretKeys: [NEW] } });
  expect(loginOf(third)).toEqual(LOGIN);
});
