/** Lines of one paragraph are joined. */
const joined = (text: string): string => text.trim().replaceAll(/(?<=[^\n])\n(?=[^\n])/g, ' ');

/** Rules of all operations, in Markdown. */
export const INTRODUCTION = joined(`
Postmesh sends email for an account and manages what surrounds sending. Requests and responses are JSON; times are
RFC 3339 in UTC; ids are UUIDs.

## Authentication

Every request carries \`Authorization: Bearer <API key>\`. A key belongs to one account, whose id is in the path.
What a key may do is said by its scopes; the roles of a security requirement in this document are scopes. A scope with
\`{domain}\` is granted for one domain, braces included: \`messages:send:{example.com}\`. The scope \`*\` grants
everything. A key may be bound to addresses (\`ip_allow_list\`); from others it gets 403.

## Errors

The body of every error is \`{"message": "…"}\`. The text is for people; the status is for programs. Fields that an
operation does not know, and read-only fields, are refused with 400; \`null\` for an optional field means
that it was not given. A path that exists answers a method that it does not have with 405 and the header \`Allow\`.
Every response has the header \`x-request-id\`.

## Lists

Lists are newest first. \`limit\` says how long a page may be; \`pagination.next_cursor\` given as \`after\` leads to the
next page, \`pagination.previous_cursor\` given as \`before\` to the one before. Cursors are opaque.

## Retries

Operations with the header \`Idempotency-Key\` run once per key and account. The same request again within 24 hours
(creates of API keys: 5 minutes) gets the stored response with \`Idempotent-Replayed: true\`; while the first one is in
progress, 409 with \`Retry-After\`; another request with the same key, 422.

## Rate limits

Each account may make 100 requests per second, 200 at once, unless the operator says otherwise. Beyond that: 429 with
\`Retry-After\`.
`);

/** Rules of the operations of the console. */
export const CONSOLE_INTRODUCTION = joined(`
The console is a client of the API with a session in place of a key. Its pages call the operations of this document, and
every operation of the API at \`/console/api/v2/…\` instead of \`/v2/…\`: same bodies, same responses, with the
scopes of the member's role. It is no interface for programs, and may change with each release.

## Authentication

A session is a cookie that pages cannot read. A member gets it with a sign-in link. A path with an account is of the account
that the session is in.

## Requests

A request that changes something is sent by a page of the same origin: browsers say so by the headers \`Origin\` and
\`Sec-Fetch-Site\`, and anything else gets 403. Bodies are JSON. Errors, lists, retries and rate limits are those of the
API.
`);
