import { describe, expect, it } from 'vitest';
import { loginRejection, mailRejection, smtpEndpoints } from './smtp-listeners.rules.js';

describe('which ports are opened', () => {
  it.each([
    [[2525], 2526, ['2525 submission', '2526 inbound']],
    [[25, 587, 2525], 25, ['25 both', '587 submission', '2525 submission']],
    [[0], 0, ['0 submission', '0 inbound']],
  ])('submission %j, inbound %d', (submissionPorts, mxPort, expected) => {
    expect(smtpEndpoints({ submissionPorts, mxPort }).map(({ port, role }) => `${port} ${role}`)).toEqual(
      expected,
    );
  });
});

describe('what a session may do', () => {
  const plain = { secure: false, loggedIn: false };
  const secure = { secure: true, loggedIn: false };
  const loggedIn = { secure: true, loggedIn: true };

  it('submission needs TLS, then a login', () => {
    const required = { code: 530, enhanced: '5.7.0' };
    expect(mailRejection('submission', plain)).toEqual({
      ...required,
      text: 'Must issue a STARTTLS command first',
    });
    expect(mailRejection('submission', secure)).toEqual({ ...required, text: 'Authentication required' });
    expect(mailRejection('submission', loggedIn)).toBeUndefined();
  });

  it.each(['inbound', 'both'] as const)('%s accepts MAIL FROM of any client', (role) => {
    expect(mailRejection(role, plain)).toBeUndefined();
  });

  it('no login without TLS', () => {
    expect(loginRejection(plain)?.code).toBe(530);
    expect(loginRejection(secure)).toBeUndefined();
  });
});
