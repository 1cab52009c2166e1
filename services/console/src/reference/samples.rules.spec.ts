import { describe, expect, it } from 'vitest';
import { samplesOf, withSamples } from './samples.rules';

const body = { from: { email: "o'hara@shop.example.com" }, subject: 'Grüße', recipients: [] };
const send = { requestBody: { content: { 'application/json': { example: body } } } };
const document = (url: string) => ({
  servers: [{ url }],
  paths: { '/v2/accounts/{account_id}/messages': { post: send }, '/v2/ping': { get: {} } },
});

describe('samples of an operation', () => {
  it('are in five languages, each with its address, a name in place of a key, and its body', () => {
    const samples = samplesOf('https://mail.example.com/v2/accounts/ACCOUNT_ID/messages', 'post', send);
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'Node.js', 'Python', 'Go', 'PHP']);
    for (const { source } of samples) {
      expect(source).toContain('https://mail.example.com/v2/accounts/ACCOUNT_ID/messages');
      expect(source).toContain('Bearer POSTMESH_API_KEY');
      expect(source).toContain('Grüße');
    }
    // an apostrophe ends no text of a shell
    expect(samples[0]?.source).not.toContain("o'hara");
  });

  it('are of the server that the document names, or of where it was found', () => {
    const sourceOf = (url: string): string =>
      JSON.stringify(withSamples(document(url), 'http://localhost:8080').paths['/v2/ping']);
    expect(sourceOf('https://mail.example.com/')).toContain('https://mail.example.com/v2/ping');
    expect(sourceOf('/')).toContain('http://localhost:8080/v2/ping');
  });
});
