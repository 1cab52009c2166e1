import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings, settingsReference, SettingsError, unknownSettings } from './load.js';

describe('settings', () => {
  it('have the defaults of the operational interface', () => {
    const settings = loadSettings({});
    expect(settings).toMatchObject({ httpPort: 8080, operatorPort: 8081, mailboxPort: 8025, mxPort: 2526 });
    expect(settings.submissionPorts).toEqual([2525]);
    expect(settings.dataDir).toBe('./.data');
  });

  it('name every bad value at once and what it must be', () => {
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
