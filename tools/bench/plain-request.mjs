// A request without a body, the same each time.

export class PlainRequest {
  /** @param about `{host, port, path, apiKey?}` */
  constructor({ host, port, path, apiKey }) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}:${port}`];
    if (apiKey !== undefined) lines.push(`Authorization: Bearer ${apiKey}`);
    this.bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  }

  numbered() {
    return this.bytes;
  }
}
