import { goNative } from '@scalar/snippetz/plugins/go/native';
import { nodeFetch } from '@scalar/snippetz/plugins/node/fetch';
import { phpCurl } from '@scalar/snippetz/plugins/php/curl';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';

/** The parts of an OpenAPI document that a sample is made of. */
interface Operation {
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> };
}
export interface ApiDocument {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Sample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** `lang` chooses the colours. */
const LANGUAGES = [
  { lang: 'Shell', label: 'curl', plugin: shellCurl },
  { lang: 'JavaScript', label: 'Node.js', plugin: nodeFetch },
  { lang: 'Python', label: 'Python', plugin: pythonRequests },
  { lang: 'Go', label: 'Go', plugin: goNative },
  { lang: 'PHP', label: 'PHP', plugin: phpCurl },
] as const;

/** Names in place of values: a sample has no key and no id of anybody. */
const KEY = 'POSTMESH_API_KEY';
const named = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => name.toUpperCase());

/** One request of an operation in every language. */
export function samplesOf(url: string, method: string, { requestBody }: Operation): Sample[] {
  const body = requestBody?.content?.['application/json']?.example;
  const request = {
    url,
    method: method.toUpperCase(),
    headers: [
      { name: 'Authorization', value: `Bearer ${KEY}` },
      ...(body === undefined ? [] : [{ name: 'Content-Type', value: 'application/json' }]),
    ],
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    httpVersion: 'HTTP/1.1',
    ...(body === undefined
      ? {}
      : { postData: { mimeType: 'application/json', text: JSON.stringify(body, null, 2) } }),
  };
  return LANGUAGES.map(({ lang, label, plugin }) => ({ lang, label, source: plugin.generate(request) }));
}

/** Alternatives of one scheme differ in scopes, which the description has in words. */
const oneScheme = ({ security }: Operation): Pick<Operation, 'security'> =>
  security === undefined ? {} : { security: security.slice(0, 1) };

/**
 * The document with a sample in each language for every operation, as `x-codeSamples`.
 * @param origin where the document was found, for a document that names no server with a host
 */
export function withSamples<D extends ApiDocument>(document: D, origin: string): D {
  const base = (document.servers?.find(({ url }) => /^https?:/.test(url))?.url ?? origin).replace(/\/$/, '');
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        {
          ...operation,
          ...oneScheme(operation),
          'x-codeSamples': samplesOf(`${base}${named(path)}`, method, operation),
        },
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}
