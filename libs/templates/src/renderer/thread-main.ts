import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Limits } from '../language/limits.js';
import { Template } from '../language/render.js';
import { TemplateError, TimeExceeded } from '../language/template-error.js';
import { readValues } from '../language/values.js';
import type { RenderedParts, TemplatePart } from './render-job.js';
import { type ChunkResult, PROGRESS, type RenderChunk, type ThreadInput } from './render-work.js';

/** The time slice of one key: others wait for no more than this and one recipient. */
const TURN_MS = 20;
/** The approximate size of one reply: results are copied, and held twice meanwhile. */
const MAX_REPLY_CHARACTERS = 4 * 1024 * 1024;
/**
 * Characters of cached templates: a campaign or a stored template is compiled once, and not for each of its
 * recipients. Dozens of ordinary ones, or one of the largest allowed; some 50 MB in each of two threads.
 */
const MAX_KEPT_WEIGHT = 24 * 1024 * 1024;

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const { limits: ALL_LIMITS, progress } = workerData as ThreadInput;

port.on('message', (chunk: RenderChunk) => port.postMessage(renderChunk(chunk)));

function renderChunk({ parts, values, limits }: RenderChunk): ChunkResult {
  const until = performance.now() + TURN_MS;
  const { loopSteps, outputBytes } = limits ?? ALL_LIMITS;
  const within = { ...ALL_LIMITS, loopSteps, outputBytes };
  const templates = parts.map(readPart);
  const results: RenderedParts[] = [];
  let characters = 0;
  for (const json of values) {
    progress[PROGRESS.item] = results.length;
    const result = renderFor(json, templates, within);
    results.push(result);
    if (result.ok) for (const text of result.texts) characters += text.length;
    if (performance.now() > until || characters > MAX_REPLY_CHARACTERS) break;
  }
  return results;
}

interface ReadPart {
  readonly part: TemplatePart;
  readonly template: Template | TemplateError;
}

const kept = new LRUCache<string, Template | TemplateError>({
  maxSize: MAX_KEPT_WEIGHT,
  sizeCalculation: (template, source) => 1 + (template instanceof Template ? template.weight : source.length),
});

function readPart(part: TemplatePart): ReadPart {
  Atomics.add(progress, PROGRESS.beat, 1);
  const known = kept.get(part.source);
  if (known) return { part, template: known };
  const template = readTemplate(part.source);
  kept.set(part.source, template);
  return { part, template };
}

/** @returns the error of a template that cannot be parsed */
function readTemplate(source: string): Template | TemplateError {
  Atomics.add(progress, PROGRESS.compiled, 1);
  try {
    return new Template(source);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

/** Only values that no request brought are nested deeper than the stack. */
function renderFor(json: string, templates: readonly ReadPart[], limits: Limits): RenderedParts {
  let values: Record<string, unknown>;
  try {
    values = readValues(json);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, part: templates[0]?.part.name ?? '', reason: 'values are nested too deep' };
  }
  return renderParts(templates, values, limits);
}

/** Ends at the first part that cannot be rendered: a message needs all of its parts. */
function renderParts(
  templates: readonly ReadPart[],
  values: Record<string, unknown>,
  limits: Limits,
): RenderedParts {
  const texts: string[] = [];
  const sizes: number[] = [];
  for (const [index, { part, template }] of templates.entries()) {
    Atomics.add(progress, PROGRESS.beat, 1);
    progress[PROGRESS.part] = index;
    try {
      if (template instanceof TemplateError) throw template;
      const text = template.render(values, part.escape, limits);
      sizes.push(Buffer.byteLength(text));
      texts.push(part.measured ? '' : text);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const slow = error instanceof TimeExceeded ? { slow: true as const } : {};
      return { ok: false, part: part.name, reason: error.reason, ...slow };
    }
  }
  return { ok: true, texts, sizes };
}
