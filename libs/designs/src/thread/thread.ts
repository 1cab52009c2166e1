import { parentPort } from 'node:worker_threads';
import { compileMjml } from './compile-mjml.js';
import type { DesignJob, MadeDesign } from './design-job.js';
import { textOfHtml } from './text-of-html.js';
import { foreignUrls, TooManyElements } from './foreign-urls.js';
import { lockDown } from './lock-down.js';

const EXAMPLE = `<mjml><mj-head><mj-style inline="inline">.a { color: red; }</mj-style><mj-html-attributes><mj-selector path="a">
  <mj-html-attribute name="x">y</mj-html-attribute></mj-selector></mj-html-attributes></mj-head><mj-body><mj-section><mj-column>
  <mj-text css-class="a">Ready</mj-text></mj-column></mj-section></mj-body></mjml>`;

async function make(job: DesignJob): Promise<MadeDesign> {
  try {
    return await makeParts(job);
  } catch (error) {
    if (error instanceof TooManyElements) return refused('it has too many elements');
    // of the stack, or of a library's depth limit
    if (error instanceof RangeError) return refused('it is nested too deeply');
    throw error;
  }
}

const refused = (message: string): MadeDesign => ({ html: '', text: '', problems: [{ message }] });

async function makeParts(job: DesignJob): Promise<MadeDesign> {
  if ('mjml' in job) {
    const { html, problems } = await compileMjml(job);
    return problems.length > 0 ? { html, text: '', problems } : { html, text: textOfHtml(html), problems };
  }
  // checked in any case, for its depth
  const foreign = foreignUrls(job.html, job.urls ?? 'expression-begins');
  const problems = job.urls === null ? [] : foreign;
  return { html: job.html, text: problems.length > 0 ? '' : textOfHtml(job.html), problems };
}

// Libraries load files on their first use, so that use happens here: afterwards this thread opens no file.
await make({ mjml: EXAMPLE, urls: 'expression-is-whole', maxHtmlMiB: 1 });
lockDown();

parentPort?.on('message', async (job: DesignJob) => {
  parentPort?.postMessage(await make(job));
});
parentPort?.postMessage('ready');
