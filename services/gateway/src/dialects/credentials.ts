import { bearerToken } from '../http-api/request-head.rules.js';

// Where clients of each service have their key. As in our own API, one header of the name counts (spec 1-platform §2.1).

export const fromBearer = bearerToken;

/** The value of a header of this name, if there is one of them only. */
export function fromHeader(header: string): (rawHeaders: readonly string[]) => string | undefined {
  return (rawHeaders) => {
    const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === header);
    const [value] = values;
    return values.length === 1 && value?.trim() ? value.trim() : undefined;
  };
}

const authorization = fromHeader('authorization');

/** The password of HTTP basic authentication (RFC 7617) by this user. */
export function fromBasic(user: string): (rawHeaders: readonly string[]) => string | undefined {
  return (rawHeaders) => {
    const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization(rawHeaders) ?? '')?.[1];
    const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
    const password = decoded.startsWith(`${user}:`) ? decoded.slice(user.length + 1) : '';
    return password === '' || /\s/.test(password) ? undefined : password;
  };
}
