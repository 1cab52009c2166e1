import { loadSettings } from '@postmesh/settings';
import { describe, expect, it } from 'vitest';
import { choosePorts } from './listeners.js';

async function chosenOf(more: object) {
  const settings = { ...loadSettings({}), httpPort: 0, mxPort: 0, submissionPorts: [0], ...more };
  const { ports, release } = await choosePorts(settings);
  await release();
  return ports;
}

describe('ports that the settings leave to the system', () => {
  it('are different ones', async () => {
    // of 12,000 ports, so many are drawn that a repetition is nearly certain
    const many = Array.from({ length: 500 }, () => 0);
    const { httpPort, mxPort, submissionPorts } = await chosenOf({ submissionPorts: many });
    expect(new Set([httpPort, mxPort, ...submissionPorts]).size).toBe(502);
    expect(submissionPorts).not.toContain(0);
  });

  it('are also chosen for an address that this machine does not have: the listener reports it', async () => {
    const { httpPort, mxPort } = await chosenOf({ httpHost: '192.0.2.1' });
    expect(httpPort).toBeGreaterThan(0);
    expect(mxPort).toBeGreaterThan(0);
  });

  it('do not replace the ports that are given', async () => {
    expect(await chosenOf({ httpPort: 8080, submissionPorts: [25] })).toMatchObject({
      httpPort: 8080,
      submissionPorts: [25],
    });
  });
});
