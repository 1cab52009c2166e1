import { RedocStandalone } from 'redoc';
import { createRoot } from 'react-dom/client';
import './reference.css';
import { LOOK } from './looks';
import { withSamples, type ApiDocument } from './samples.rules';

/** The reference of the API: a page of its own at /docs, without a session (decision 125). */
const place = document.getElementById('reference');
const address = place?.dataset.document;
if (!place || address === undefined) throw new Error('there is no place for the reference');

/** Boxes of code that scroll are reached by keyboard, too. */
const makeReachable = (): void => {
  for (const box of place.querySelectorAll<HTMLElement>('pre:not([tabindex])')) box.tabIndex = 0;
};

async function show(root: HTMLElement, from: string): Promise<void> {
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} answered ${response.status}`);
  const given = (await response.json()) as ApiDocument;
  const isOfKeys = root.dataset.samples !== undefined;
  const spec = isOfKeys ? withSamples(given, location.origin) : given;
  new MutationObserver(makeReachable).observe(root, { childList: true, subtree: true });
  createRoot(root).render(
    <RedocStandalone
      spec={spec}
      options={{
        theme: LOOK,
        disableSearch: true,
        downloadUrls: [{ title: 'OpenAPI document', url: from }],
        jsonSampleExpandLevel: 4,
        nativeScrollbars: true,
        requiredPropsFirst: true,
      }}
    />,
  );
}

void show(place, address);
