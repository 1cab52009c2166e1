import { describe, expect, test } from 'vitest';
import { HouseLimits } from './house-limits.rules.js';
import { HouseScript, type HouseScriptInput } from './house-script.js';

const REPLY = { code: 421, text: '4.7.0 no' };
const SECOND = 1_000;
const script = (given: HouseScriptInput): HouseScript => HouseScript.parse(given);
const from = (source: string, recipient = 'a@x.test') => ({
  source,
  sender: 's@y.test',
  recipients: [recipient],
});

describe('a limit of messages in a time', () => {
  const limited = script({ rate: { messages: 2, perSeconds: 10, forSeconds: 60, at: 'data', reply: REPLY } });

  test('refuses messages above it for a while, whatever the client does, and then counts again', () => {
    const limits = new HouseLimits();
    const at = (seconds: number) => limits.rejection(limited, 'data', from('1'), seconds * SECOND);
    for (const seconds of [0, 1]) {
      expect(at(seconds)).toBeUndefined();
      limits.took(limited, '1', seconds * SECOND);
    }
    expect([at(2), at(30), at(61)]).toEqual([REPLY, REPLY, REPLY]);
    expect(at(62)).toBeUndefined();
  });

  test('does not affect clients below it', () => {
    const limits = new HouseLimits();
    for (let seconds = 0; seconds < 100; seconds += 5) {
      expect(limits.rejection(limited, 'data', from('1'), seconds * SECOND)).toBeUndefined();
      limits.took(limited, '1', seconds * SECOND);
    }
  });

  test('is of one client and one stage', () => {
    const limits = new HouseLimits();
    for (const _ of [1, 2]) limits.took(limited, '1', 0);
    expect(limits.rejection(limited, 'data', from('2'), 0)).toBeUndefined();
    expect(limits.rejection(limited, 'mail', from('1'), 0)).toBeUndefined();
    expect(limits.rejection(limited, 'data', from('1'), 0)).toEqual(REPLY);
  });
});

test('until it is quiet: each attempt restarts the wait, after it one message is accepted', () => {
  const quiet = script({
    untilQuiet: { messages: 1, perSeconds: 60, quietSeconds: 30, at: 'mail', reply: REPLY },
  });
  const limits = new HouseLimits();
  const at = (seconds: number) => limits.rejection(quiet, 'mail', from('1'), seconds * SECOND);
  limits.took(quiet, '1', 0);
  expect([at(1), at(29), at(58), at(87)]).toEqual([REPLY, REPLY, REPLY, REPLY]);
  expect(at(117)).toBeUndefined();
  limits.took(quiet, '1', 117 * SECOND);
  expect(at(118)).toEqual(REPLY);
});

test('a greylist lets a triplet pass that is retried after its time, not sooner and no other', () => {
  const grey = script({ greylist: { seconds: 300, reply: REPLY } });
  const limits = new HouseLimits();
  const at = (seconds: number, recipient?: string, source = '1') =>
    limits.rejection(grey, 'rcpt', from(source, recipient), seconds * SECOND);
  expect([at(0), at(299)]).toEqual([REPLY, REPLY]);
  expect([at(300), at(301)]).toEqual([undefined, undefined]);
  expect([at(301, 'b@x.test'), at(301, 'a@x.test', '2')]).toEqual([REPLY, REPLY]);
  limits.forget();
  expect(at(302)).toEqual(REPLY);
});

test('connections count while they are open, per client', () => {
  const two = script({ connections: { most: 2, reply: REPLY } });
  const limits = new HouseLimits();
  const connect = (source: string) => limits.connected(two, source);
  expect([connect('1'), connect('1'), connect('1'), connect('2')]).toEqual([
    undefined,
    undefined,
    REPLY,
    undefined,
  ]);
  limits.disconnected('1');
  limits.disconnected('1');
  limits.forget();
  expect([connect('1'), connect('1')]).toEqual([undefined, REPLY]);
});
