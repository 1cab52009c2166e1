import { expect, it } from 'vitest';
import { TemplateRenderer } from '../index.js';
it('works', async () => {
  const renderer = new TemplateRenderer();
  expect(await renderer.render({ key: 'a', parts: [{ name: 'x', source: 'Hi {{ name }}', escape: false }], values: [{ name: 'Ann' }] })).toEqual([{ ok: true, texts: ['Hi Ann'], sizes: [6] }]);
  await renderer.close();
});
