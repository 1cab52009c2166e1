import { describe, expect, it } from 'vitest';
import { feedbackLoopAddress } from './feedback-loop.js';
import { loadSettings, redactedSettings, settingsReference, SettingsError, unknownSettings } from './load.js';

describe('settings', () => {
  it('have the defaults of the operational interface', () => {
    const settings = loadSettings({});
    expect(settings).toMatchObject({ httpPort: 8080, operatorPort: 8081, mailboxPort: 8025, mxPort: 2526 });
    expect(settings.submissionPorts).toEqual([2525]);
    expect(settings.dataDir).toBe('./.data');
  });

  it('read waits as a list of seconds or as a number of tries', () => {
    const waits = (text?: string) => loadSettings({ POSTMESH_WEBHOOK_RETRIES: text }).webhookRetries;
    const sum = (all: readonly number[]) => all.reduce((total, wait) => total + wait, 0);
    expect(waits()).toEqual([5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 36_000]);
    expect(waits('1, 60,86400')).toEqual([1, 60, 86_400]);
    expect(waits('1 tries')).toEqual([]);
    expect(sum(waits('14 tries'))).toBeGreaterThan(86_400);
    for (const wrong of ['0', 'x', '1,,2', '-1', '29 tries', '604801', Array(51).fill(1).join(',')])
      expect(() => waits(wrong), wrong).toThrow(/POSTMESH_WEBHOOK_RETRIES/);
  });

  it('have an address of feedback loops in addition to that of bounces', () => {
    const address = (text?: string) =>
      feedbackLoopAddress(loadSettings({ POSTMESH_FEEDBACK_LOOP_ADDRESS: text }));
    expect([address(), address(' Fbl@Mail.Test ')]).toEqual(['fbl@rp.postmesh.test', 'fbl@mail.test']);
    for (const wrong of ['fbl', 'fbl@test', 'F <fbl@mail.test>', 'a b@mail.test'])
      expect(() => address(wrong), wrong).toThrow(
        /POSTMESH_FEEDBACK_LOOP_ADDRESS.* must be an email address/,
      );
  });

  it('name every bad value at once and its valid form', () => {
    const load = () => loadSettings({ POSTMESH_HTTP_PORT: 'eighty', DATABASE_URL: 'mysql://x' });
    expect(load).toThrow(SettingsError);
    expect(load).toThrow(/POSTMESH_HTTP_PORT: 'eighty' must be a whole number/);
    expect(load).toThrow(/DATABASE_URL: the given value must be a URL/);
  });

  it('name a misspelt setting', () => {
    expect(unknownSettings({ POSTMESH_HTPP_PORT: '1', POSTMESH_HTTP_PORT: '1' })).toEqual([
      'POSTMESH_HTPP_PORT',
    ]);
  });

  it('hide secrets when they are printed', () => {
    const printed = JSON.stringify(redactedSettings(loadSettings({ POSTMESH_SECRET_KEYS: 'k'.repeat(32) })));
    expect(printed).not.toContain('kkk');
    expect(printed).toContain('[hidden]');
  });

  it('are all listed in the reference', () => {
    expect(settingsReference()).toContain('| `POSTMESH_DATA_DIR` |');
  });
});
